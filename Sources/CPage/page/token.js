// A dialog in which the user enters the server's token.

import { button, field, h } from './dom.js';

/** Opens a dialog; returns a promise of the token, or of null if the dialog was closed. */
export function askToken(message) {
  return new Promise((resolve) => {
    const input = h('input', {
      type: 'password', autocomplete: 'off', required: true, spellcheck: 'false',
    });
    const form = h(
      'form', { method: 'dialog' },
      h('h2', { text: 'This server requires a token', id: 'token-title' }),
      h('p', { class: 'hint', text: message }), field('Token', input),
      h('div', { class: 'row' }, h('button', { type: 'submit', class: 'main', text: 'Use it' }),
        button('Cancel', () => dialog.close())));
    let token = null;
    // The content security policy blocks form submission, so the form is read here.
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      token = input.value.trim() || null;
      dialog.close();
    });
    const dialog = h('dialog', { 'aria-labelledby': 'token-title' }, form);
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(token);
    });
    document.body.append(dialog);
    dialog.showModal();
    input.focus();
  });
}
