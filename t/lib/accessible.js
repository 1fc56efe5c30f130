// SPDX-License-Identifier: MIT
// Returns a list of sentences, the problems of a page for people who do not see it, see little, or use the keyboard. It checks
// the part of WCAG 2.2 AA that a program can check, by computed styles, so the result holds for the current colour scheme.
'use strict';
const wrong = [];
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const shown = element => element.getClientRects().length > 0 && getComputedStyle(element).visibility === 'visible';
const what = element => `<${element.localName}${element.id ? '#' + element.id : ''}> "${(element.textContent || '').trim().slice(0, 40)}"`;

if (!document.documentElement.lang) wrong.push('3.1.1: the page does not say its language');
if (!document.title.trim()) wrong.push('2.4.2: no title');
if (all('h1').length !== 1) wrong.push(`1.3.1: ${all('h1').length} first-level headings`);
for (const landmark of ['header', 'main', 'footer', 'nav'])
    if (all(landmark).length === 0) wrong.push(`1.3.1: no <${landmark}>`);
const nameless = all('nav').filter(nav => all('nav').length > 1 && !nav.getAttribute('aria-label'));
for (const nav of nameless) wrong.push(`1.3.1: ${what(nav)} among several without a name`);

let level = 0;
for (const heading of all('h1, h2, h3, h4, h5, h6').filter(shown)) {
    const own = Number(heading.localName[1]);
    if (own > level + 1) wrong.push(`1.3.1: ${what(heading)} after level ${level}`);
    if (!heading.textContent.trim()) wrong.push(`1.3.1: an empty heading`);
    level = own;
}

const ids = new Set();
for (const element of all('[id]')) {
    if (ids.has(element.id)) wrong.push(`4.1.1: the id ${element.id} twice`);
    ids.add(element.id);
}
for (const attribute of ['aria-labelledby', 'aria-describedby', 'for'])
    for (const element of all(`[${attribute}]`))
        for (const id of element.getAttribute(attribute).split(/\s+/))
            if (!ids.has(id)) wrong.push(`1.3.1: ${what(element)} ${attribute}="${id}", which is not there`);

for (const field of all('input:not([type=hidden]), select, textarea'))
    if (field.labels.length === 0) wrong.push(`3.3.2: ${what(field)} has no label`);
for (const element of all('a[href], button, summary').filter(shown)) {
    const name = element.getAttribute('aria-label') || element.textContent;
    if (!name.trim()) wrong.push(`4.1.2: ${element.outerHTML.slice(0, 80)} has no name`);
}
for (const table of all('table'))
    if (all('th[scope]', table).length === 0) wrong.push('1.3.1: a table without headers');
for (const list of all('ul, ol'))
    if ([...list.children].some(child => child.localName !== 'li')) wrong.push('1.3.1: a list with something else than items');
// A picture that says nothing has an empty alt, or is hidden from those who do not see it.
for (const image of all('img, svg'))
    if (!image.hasAttribute('alt') && image.getAttribute('aria-hidden') !== 'true' && !image.getAttribute('aria-labelledby') && !image.getAttribute('aria-label'))
        wrong.push('1.1.1: a picture without words');
for (const element of all('[tabindex]'))
    if (element.tabIndex > 0) wrong.push(`2.4.3: ${what(element)} jumps the queue`);
for (const box of all('*').filter(e => e.scrollHeight > e.clientHeight + 1 && ['auto', 'scroll'].includes(getComputedStyle(e).overflowY)))
    if (box.tabIndex < 0 && box !== document.scrollingElement) wrong.push(`2.1.1: ${what(box)} scrolls, but not by keyboard`);

// 1.4.3: contrast of text, 4.5, or 3 for large text.
const numbers = colour => (colour.match(/[\d.]+/g) || []).map(Number);
const luminance = rgb => {
    const [r, g, b] = rgb.map(v => v / 255).map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = element => {
    for (let e = element; e; e = e.parentElement) {
        const [r, g, b, a = 1] = numbers(getComputedStyle(e).backgroundColor);
        if (a === 1) return [r, g, b];
    }
    return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
};
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const seen = new Set();
while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || seen.has(element) || !shown(element) || element.closest('.hidden, .skip')) continue;
    seen.add(element);
    const style = getComputedStyle(element);
    const ink = numbers(element.closest('svg') ? style.fill : style.color).slice(0, 3);
    const [light, dark] = [luminance(ink), luminance(ground(element))].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) wrong.push(`1.4.3: ${what(element)} has a contrast of ${ratio.toFixed(2)}`);
}

// 2.5.8: controls are at least 24 by 24 pixels, unless they are in a line of text.
for (const element of all('button, input:not([type=hidden]), select, nav a').filter(shown)) {
    const box = element.getBoundingClientRect();
    if (box.height < 24 || box.width < 24) wrong.push(`2.5.8: ${what(element)} is ${Math.round(box.width)} by ${Math.round(box.height)}`);
}
// 1.4.10: nothing is wider than the window.
const width = document.documentElement.clientWidth;
if (Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) > width) {
    const widest = all('body *').filter(e => e.getBoundingClientRect().right > width + 1).slice(0, 3).map(what);
    wrong.push(`1.4.10: wider than a window of ${width}: ${widest.join(', ')}`);
}
for (const field of all('input:not([type=hidden]), select, button').filter(shown))
    if (field.getBoundingClientRect().right > field.parentElement.getBoundingClientRect().right + 1) wrong.push(`1.4.10: ${what(field)} is wider than what it is in`);
if ((luminance(ground(document.body)) < 0.2) !== matchMedia('(prefers-color-scheme: dark)').matches) wrong.push('1.4.3: the background has the other colour scheme');
return wrong;
