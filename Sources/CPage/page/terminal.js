// A dialog in which the user selects the terminal of a device.

import { button, h } from './dom.js';

/** Returns a promise of a terminal, or of null if the dialog was closed. */
export function askTerminal(element) {
  return new Promise((resolve) => {
    let chosen = null;
    const dialog = h('dialog', { 'aria-labelledby': 'terminal-title' },
      h('h2', { id: 'terminal-title', text: `Which terminal of ${element.id}?` }),
      h('p', { class: 'hint', text: element.kind }),
      h('div', { class: 'row' },
        element.terminals.map((terminal) => button(terminal.name, () => {
          chosen = terminal;
          dialog.close();
        }, { class: 'main' })),
        button('Cancel', () => dialog.close())));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(chosen);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
