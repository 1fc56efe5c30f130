// SPDX-License-Identifier: MIT
// t/server/playwright.t within Node: playwright.js '{"base": ..., "pages": {name: address}, "playwright": directory}' prints TAP.
'use strict';
const {readFileSync} = require('fs');
const told = JSON.parse(process.argv[2]);
const {chromium} = require(told.playwright);
const axe = told.axe && readFileSync(told.axe, 'utf8');
const accessible = readFileSync(`${__dirname}/accessible.js`, 'utf8');
const origin = new URL(told.base).origin;
const pages = Object.entries(told.pages);

let tests = 0, failed = 0;
function ok(good, name, why = '') {
    console.log(`${good ? 'ok' : 'not ok'} ${++tests} - ${name}`);
    if (good) return;
    ++failed;
    console.log(String(why).replace(/^/gm, '# '));
}
const none = (list, name) => ok(list.length === 0, name, list.join('\n'));

const desk = {viewport: {width: 1280, height: 900}};
const phone = {viewport: {width: 390, height: 844}, deviceScaleFactor: 3, isMobile: true, hasTouch: true,
    userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1'};

// A page that keeps account of what it asked for elsewhere and of all that went wrong in it.
async function open(browser, how) {
    const context = await browser.newContext(how);
    const page = await context.newPage();
    const wrong = page.wrong = [];
    page.on('request', request => { if (new URL(request.url()).origin !== origin) wrong.push(`asked for ${request.url()}`); });
    page.on('requestfailed', request => wrong.push(`${request.url()}: ${request.failure().errorText}`));
    page.on('pageerror', error => wrong.push(`a script failed: ${error}`));
    page.on('console', said => {    // 4xx is what some pages are; violations of the policy come here, too
        if (['error', 'warning'].includes(said.type()) && !/status of 4\d\d/.test(said.text())) wrong.push(`console: ${said.text()}`);
    });
    return page;
}

// A phone shows a page that is too wide in a window as wide, smaller: so both are looked at.
const widest = 'Math.max(document.scrollingElement.scrollWidth, innerWidth)';

// Fields that reach out of what they stand in, over others.
const crowded = `[...document.querySelectorAll('input:not([type=hidden]), select, button')].filter(e => e.checkVisibility()
    && e.getBoundingClientRect().right > e.parentElement.getBoundingClientRect().right + 1).map(e => e.outerHTML.slice(0, 100))`;

async function judged(page) {
    const wrong = await page.evaluate(`(() => { ${accessible} })()`);
    if (!axe) return wrong;
    await page.evaluate(axe);
    const {violations} = await page.evaluate('axe.run()');
    return wrong.concat(violations.map(v => `axe-core: ${v.impact}: ${v.id}: ${v.help}: ${v.nodes[0].html}`));
}

async function picture(page, name) {
    if (told.pictures) await page.screenshot({path: `${told.pictures}/${name}.png`, fullPage: true});
}

// In the light, in the dark, on a phone; in the language that is asked for.
async function looked_at(browser) {
    const ways = {light: desk, dark: {...desk, colorScheme: 'dark'}, phone, 'phone-dark': {...phone, colorScheme: 'dark'}};
    for (const [way, how] of Object.entries(ways)) {
        const page = await open(browser, how);
        for (const [name, address] of pages) {
            await page.goto(address);
            none(await judged(page), `${name}, ${way}`);
            const width = await page.evaluate(widest);
            ok(width <= how.viewport.width, `${name}, ${way}: no wider than the window`, width);
            none(await page.evaluate(crowded), `${name}, ${way}: each field within its place`);
            const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)');
            ok((ground[0] < 128) === way.endsWith('dark'), `${name}, ${way}: its ground`, ground);
            await picture(page, `${name}-${way}`);
        }
        none(page.wrong, `${way}: nothing from elsewhere, no errors`);
        await page.context().close();
    }
}

// What the keyboard can reach in a page, in the order of the document.
const reachable = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]')]
    .filter(e => e.checkVisibility({visibilityProperty: true}) && e.getClientRects().length > 0)`;
// Where the focus is: its place among those (-1: nowhere), whether one sees it, what it is.
const focus = `(() => {
    const e = document.activeElement, all = ${reachable}, box = e.getBoundingClientRect();
    const ring = e.querySelector('rect.ground'), style = getComputedStyle(e);
    const width = parseFloat(ring ? getComputedStyle(ring).strokeWidth : style.outlineStyle === 'none' ? '0' : style.outlineWidth);
    return {place: all.indexOf(e), of: all.length, ring: width >= 2, what: e.outerHTML.slice(0, 100),
            shown: box.width > 0 && box.right > 0 && box.bottom > 0 && box.top < innerHeight && box.left < innerWidth};
})()`;

// Each stop once, in the order of the document, seen; and back again.
async function walked(browser) {
    for (const [name, how] of Object.entries({desk, phone: {viewport: phone.viewport}})) {
        const page = await open(browser, how);
        for (const [kind, address] of pages) {
            await page.goto(address);
            const met = [], unseen = [];
            for (let stop = 0; stop < 2000; ++stop) {
                await page.keyboard.press('Tab');
                const at = await page.evaluate(focus);
                if (at.place === met.at(-1) && stop < met.length + 20) continue;    // a date has several fields
                if (at.place < 0 || met.includes(at.place)) break;
                met.push(at.place);
                if (!at.ring || !at.shown) unseen.push(`${at.ring ? 'out of sight' : 'no ring'}: ${at.what}`);
            }
            const {of} = await page.evaluate(focus);
            ok(met.length === of && met.every((place, i) => place === i), `${kind}, ${name}: Tab meets all ${of} in order`, `${met.length}: ${met}`);
            none(unseen, `${kind}, ${name}: and one sees where it is`);
        }
        none(page.wrong, `${name}: nothing from elsewhere, no errors`);
        await page.context().close();
    }
}

// Tab until the focus is on the element, by the keyboard alone.
async function tab_to(page, selector) {
    for (let i = 0; i < 500; ++i) {
        if (await page.evaluate(s => document.activeElement.matches(s), selector)) return;
        await page.keyboard.press('Tab');
    }
    throw new Error(`the keyboard does not reach ${selector}`);
}
async function pressed(page, key) {
    await Promise.all([page.waitForNavigation(), page.keyboard.press(key)]);
}

// From the first page to a record, and through the explorer from form to token to the next page.
async function used(browser, how, name) {
    const page = await open(browser, how);
    await page.goto(told.pages.home);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    ok(await page.evaluate(() => location.hash === '#main'), `${name}: the first stop leads to the content`);
    await tab_to(page, '.histogram a');
    const label = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
    await pressed(page, 'Enter');
    const shown = await page.evaluate(() => document.querySelectorAll('ol.records li').length);
    ok(shown > 0 && shown === Math.min(5, Number(/: (?:about )?(\d+)/.exec(label)[1])), `${name}: a bar leads to its records`, `${label}: ${shown}`);
    const title = await page.evaluate(() => document.querySelector('ol.records a').textContent);
    await tab_to(page, 'ol.records a');
    await pressed(page, 'Enter');
    ok(await page.evaluate(() => document.querySelector('h1').textContent) === title, `${name}: and one of them to a record`, title);

    await tab_to(page, 'nav a[href*="/explore"]');
    await pressed(page, 'Enter');
    await tab_to(page, '#verb');
    await page.keyboard.type('ListIdentifiers');
    await tab_to(page, '#metadataPrefix');
    await page.keyboard.type('oai_dc');
    await pressed(page, 'Enter');
    const seen = [];
    for (let n = 0; n < 20; ++n) {
        seen.push(...await page.evaluate(() => {
            const answer = new DOMParser().parseFromString(document.getElementById('xml-answer').textContent, 'application/xml');
            return [...answer.getElementsByTagName('identifier')].map(e => e.textContent);
        }));
        if (await page.locator('a[rel~=next]').count() === 0) break;
        await tab_to(page, 'a[rel~=next]');
        await pressed(page, 'Enter');
    }
    ok(seen.length > 10 && new Set(seen).size === seen.length, `${name}: the explorer leads through a whole list by its tokens`, seen.join('\n'));
    none(page.wrong, `${name}: nothing from elsewhere, no errors`);
    await page.context().close();
}

// Without scripts everything is there, and nothing that would do nothing.
async function without_scripts(browser) {
    const page = await open(browser, {...desk, javaScriptEnabled: false});
    for (const [name, address] of pages) {
        await page.goto(address);
        ok((await page.locator('h1').innerText()).trim() !== '', `${name}, without scripts: is there`);
        ok(await page.locator('button.copy:visible').count() === 0, `${name}, without scripts: no button that would do nothing`);
    }
    await page.goto(told.pages.formats);
    const example = page.locator('details').first();
    await example.locator('summary').click();
    ok(await example.locator('pre').isVisible(), 'formats, without scripts: an example opens');
    await page.goto(told.pages.list);
    await page.fill('#from', '2000-01-01');
    await page.click('form.filters button');
    ok(/[?&]from=2000-01-01/.test(page.url()) && await page.locator('ol.records li').count() > 0, 'list, without scripts: filters');
    none(page.wrong, 'without scripts: nothing from elsewhere, no errors');
    await page.context().close();
}

// Each of the above sees what it looks for.
async function finds(browser) {
    const page = await open(browser, phone);
    await page.goto(told.pages.home);
    await page.evaluate(() => {
        document.body.insertAdjacentHTML('beforeend', '<p>x</p><img src="http://elsewhere.invalid/x.png">');
        document.body.lastElementChild.previousElementSibling.style.width = '3000px';
    });
    await page.waitForFunction(() => document.images[0].complete);
    ok(await page.evaluate(widest) > 390, 'what is too wide is seen');
    ok(page.wrong.some(w => /Content Security Policy/.test(w)), 'what the policy forbids is seen', page.wrong.join('\n'));
    const before = page.wrong.length;
    await page.evaluate(() => { setTimeout(() => { throw new Error('x'); }, 0); });
    await page.waitForTimeout(50);
    ok(page.wrong.length > before, 'a script that fails is seen');
    await page.context().close();
}

(async () => {
    const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']});
    try {
        await looked_at(browser);
        await walked(browser);
        await used(browser, desk, 'by the keyboard');
        await used(browser, {...desk, javaScriptEnabled: true, reducedMotion: 'reduce', forcedColors: 'active'}, 'in high contrast');
        await without_scripts(browser);
        await finds(browser);
    } finally {
        await browser.close();
    }
    if (!axe) console.log(`ok ${++tests} # SKIP axe-core is not in Debian: set OAI_AXE to its axe.min.js`);
    console.log(`1..${tests}`);
    process.exitCode = failed ? 1 : 0;
})().catch(error => {
    console.log(`not ok ${++tests} - ran to its end\n${String(error.stack).replace(/^/gm, '# ')}\n1..${tests}`);
    process.exitCode = 1;
});
