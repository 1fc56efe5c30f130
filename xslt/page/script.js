// SPDX-License-Identifier: MIT
// The copy buttons. Everything else works without a script.
'use strict';

// There is no clipboard object on a page that did not come by HTTPS; then the selection is copied.
async function copy(element) {
    if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(element.textContent);
    const selection = window.getSelection();
    selection.selectAllChildren(element);
    if (!document.execCommand('copy')) throw new Error('not copied');
    selection.removeAllRanges();
}

for (const button of document.querySelectorAll('button[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
        const said = document.getElementById('said');
        said.textContent = '';
        try {
            await copy(document.getElementById(button.dataset.copy));
            said.textContent = button.dataset.done;
            button.classList.add('done');
        } catch {
            document.getElementById(button.dataset.copy).focus();
        }
    });
}
