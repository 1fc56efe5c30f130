// SPDX-License-Identifier: MIT
// t/server/playwright.t within Node: playwright.js '{"base": ..., "pages": {name: address}, "playwright": directory}' prints TAP.
'use strict';
const {readFileSync} = require('fs');
const settings = JSON.parse(process.argv[2]);
const {chromium} = require(settings.playwright);
const axe = settings.axe && readFileSync(settings.axe, 'utf8');
const accessible = readFileSync(`${__dirname}/accessible.js`, 'utf8');
const origin = new URL(settings.base).origin;
const pages = Object.entries(settings.pages);

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

// A page that records requests to other sites and all errors.
async function open(browser, how) {
    const context = await browser.newContext(how);
    const page = await context.newPage();
    const wrong = page.wrong = [];
    page.on('request', request => { if (new URL(request.url()).origin !== origin) wrong.push(`asked for ${request.url()}`); });
    page.on('requestfailed', request => wrong.push(`${request.url()}: ${request.failure().errorText}`));
    page.on('pageerror', error => wrong.push(`a script failed: ${error}`));
    page.on('console', said => {    // some pages are 4xx; violations of the policy are reported here, too
        if (['error', 'warning'].includes(said.type()) && !/status of 4\d\d/.test(said.text())) wrong.push(`console: ${said.text()}`);
    });
    return page;
}

// A phone zooms out if a page is too wide, so both the page and the window are measured.
const widest = 'Math.max(document.scrollingElement.scrollWidth, innerWidth)';

// Fields that overflow their parent element.
const crowded = `[...document.querySelectorAll('input:not([type=hidden]), select, button')].filter(e => e.checkVisibility()
    && e.getBoundingClientRect().right > e.parentElement.getBoundingClientRect().right + 1).map(e => e.outerHTML.slice(0, 100))`;

async function findings(page) {
    const wrong = await page.evaluate(`(() => { ${accessible} })()`);
    if (!axe) return wrong;
    await page.evaluate(axe);
    const {violations} = await page.evaluate('axe.run()');
    return wrong.concat(violations.map(v => `axe-core: ${v.impact}: ${v.id}: ${v.help}: ${v.nodes[0].html}`));
}

async function picture(page, name) {
    if (settings.pictures) await page.screenshot({path: `${settings.pictures}/${name}.png`, fullPage: true});
}

// In light and dark mode, on a desktop and on a phone.
async function check_appearance(browser) {
    const ways = {light: desk, dark: {...desk, colorScheme: 'dark'}, phone, 'phone-dark': {...phone, colorScheme: 'dark'}};
    for (const [way, how] of Object.entries(ways)) {
        const page = await open(browser, how);
        for (const [name, address] of pages) {
            await page.goto(address);
            none(await findings(page), `${name}, ${way}`);
            const width = await page.evaluate(widest);
            ok(width <= how.viewport.width, `${name}, ${way}: no wider than the window`, width);
            none(await page.evaluate(crowded), `${name}, ${way}: each field within its parent`);
            const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)');
            ok((ground[0] < 128) === way.endsWith('dark'), `${name}, ${way}: its background`, ground);
            await picture(page, `${name}-${way}`);
        }
        none(page.wrong, `${way}: no requests to other sites, no errors`);
        await page.context().close();
    }
}

// The elements that the keyboard can reach, in document order.
const reachable = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]')]
    .filter(e => e.checkVisibility({visibilityProperty: true}) && e.getClientRects().length > 0)`;
// The focused element: its index among those (-1 if none), whether it is visible, and its source.
const focus = `(() => {
    const e = document.activeElement, all = ${reachable}, box = e.getBoundingClientRect();
    const ring = e.querySelector('rect.ground'), style = getComputedStyle(e);
    const width = parseFloat(ring ? getComputedStyle(ring).strokeWidth : style.outlineStyle === 'none' ? '0' : style.outlineWidth);
    return {place: all.indexOf(e), of: all.length, ring: width >= 2, what: e.outerHTML.slice(0, 100),
            shown: box.width > 0 && box.right > 0 && box.bottom > 0 && box.top < innerHeight && box.left < innerWidth};
})()`;

// Tab reaches each element once, in document order, and each is visible with a focus ring.
async function check_tab_order(browser) {
    for (const [name, how] of Object.entries({desk, phone: {viewport: phone.viewport}})) {
        const page = await open(browser, how);
        for (const [kind, address] of pages) {
            await page.goto(address);
            const met = [], unseen = [];
            for (let stop = 0; stop < 2000; ++stop) {
                await page.keyboard.press('Tab');
                const at = await page.evaluate(focus);
                if (at.place === met.at(-1) && stop < met.length + 20) continue;    // a date input has several fields
                if (at.place < 0 || met.includes(at.place)) break;
                met.push(at.place);
                if (!at.ring || !at.shown) unseen.push(`${at.ring ? 'out of sight' : 'no ring'}: ${at.what}`);
            }
            const {of} = await page.evaluate(focus);
            ok(met.length === of && met.every((place, i) => place === i), `${kind}, ${name}: Tab meets all ${of} in order`, `${met.length}: ${met}`);
            none(unseen, `${kind}, ${name}: each stop is visible`);
        }
        none(page.wrong, `${name}: no requests to other sites, no errors`);
        await page.context().close();
    }
}

// Presses Tab until the element has the focus.
async function tab_to(page, selector) {
    for (let i = 0; i < 500; ++i) {
        if (await page.evaluate(s => document.activeElement.matches(s), selector)) return;
        await page.keyboard.press('Tab');
    }
    throw new Error(`the keyboard does not reach ${selector}`);
}
async function press(page, key) {
    await Promise.all([page.waitForNavigation(), page.keyboard.press(key)]);
}

// From the first page to a record; and in the explorer from the form through all pages of a list.
async function check_use(browser, how, name) {
    const page = await open(browser, how);
    await page.goto(settings.pages.home);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    ok(await page.evaluate(() => location.hash === '#main'), `${name}: the first stop leads to the content`);
    await tab_to(page, '.histogram a');
    const label = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
    await press(page, 'Enter');
    const shown = await page.evaluate(() => document.querySelectorAll('ol.records li').length);
    ok(shown > 0 && shown === Math.min(5, Number(/: (?:about )?(\d+)/.exec(label)[1])), `${name}: a bar leads to its records`, `${label}: ${shown}`);
    const title = await page.evaluate(() => document.querySelector('ol.records a').textContent);
    await tab_to(page, 'ol.records a');
    await press(page, 'Enter');
    ok(await page.evaluate(() => document.querySelector('h1').textContent) === title, `${name}: and one of them to a record`, title);

    await tab_to(page, 'nav a[href*="/explore"]');
    await press(page, 'Enter');
    await tab_to(page, '#verb');
    await page.keyboard.type('ListIdentifiers');
    await tab_to(page, '#metadataPrefix');
    await page.keyboard.type('oai_dc');
    await press(page, 'Enter');
    const seen = [];
    for (let n = 0; n < 20; ++n) {
        seen.push(...await page.evaluate(() => {
            const answer = new DOMParser().parseFromString(document.getElementById('xml-answer').textContent, 'application/xml');
            return [...answer.getElementsByTagName('identifier')].map(e => e.textContent);
        }));
        if (await page.locator('a[rel~=next]').count() === 0) break;
        await tab_to(page, 'a[rel~=next]');
        await press(page, 'Enter');
    }
    ok(seen.length > 10 && new Set(seen).size === seen.length, `${name}: the explorer leads through a whole list by its tokens`, seen.join('\n'));
    none(page.wrong, `${name}: no requests to other sites, no errors`);
    await page.context().close();
}

// Without scripts all content is there, and no button that needs a script.
async function check_without_scripts(browser) {
    const page = await open(browser, {...desk, javaScriptEnabled: false});
    for (const [name, address] of pages) {
        await page.goto(address);
        ok((await page.locator('h1').innerText()).trim() !== '', `${name}, without scripts: has a heading`);
        ok(await page.locator('button.copy:visible').count() === 0, `${name}, without scripts: no button that needs a script`);
    }
    await page.goto(settings.pages.formats);
    const example = page.locator('details').first();
    await example.locator('summary').click();
    ok(await example.locator('pre').isVisible(), 'formats, without scripts: an example opens');
    await page.goto(settings.pages.list);
    await page.fill('#from', '2000-01-01');
    await page.click('form.filters button');
    ok(/[?&]from=2000-01-01/.test(page.url()) && await page.locator('ol.records li').count() > 0, 'list, without scripts: filters');
    none(page.wrong, 'without scripts: no requests to other sites, no errors');
    await page.context().close();
}

// The checks above find what they look for.
async function check_the_checks(browser) {
    const page = await open(browser, phone);
    await page.goto(settings.pages.home);
    await page.evaluate(() => {
        document.body.insertAdjacentHTML('beforeend', '<p>x</p><img src="http://elsewhere.invalid/x.png">');
        document.body.lastElementChild.previousElementSibling.style.width = '3000px';
    });
    await page.waitForFunction(() => document.images[0].complete);
    ok(await page.evaluate(widest) > 390, 'a page that is too wide is found');
    ok(page.wrong.some(w => /Content Security Policy/.test(w)), 'a violation of the policy is found', page.wrong.join('\n'));
    const before = page.wrong.length;
    await page.evaluate(() => { setTimeout(() => { throw new Error('x'); }, 0); });
    await page.waitForTimeout(50);
    ok(page.wrong.length > before, 'a failing script is found');
    await page.context().close();
}

(async () => {
    const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']});
    try {
        await check_appearance(browser);
        await check_tab_order(browser);
        await check_use(browser, desk, 'by the keyboard');
        await check_use(browser, {...desk, javaScriptEnabled: true, reducedMotion: 'reduce', forcedColors: 'active'}, 'in high contrast');
        await check_without_scripts(browser);
        await check_the_checks(browser);
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
