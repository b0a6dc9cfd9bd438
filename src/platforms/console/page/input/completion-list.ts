import { element, newElementId } from '../elements/dom.ts';
import { strings } from '../words/index.ts';
import type { Completion } from './completion.ts';

/**
 * The list of completions above the input. The input keeps the focus; `aria-activedescendant` names the
 * selected item.
 */
export class CompletionList {
  readonly node: HTMLElement;
  readonly #line: HTMLElement;
  readonly #onChoice: (completion: Completion) => void;
  #completions: readonly Completion[] = [];
  #chosen = -1;

  constructor(line: HTMLElement, onChoice: (completion: Completion) => void) {
    this.#line = line;
    this.#onChoice = onChoice;
    const id = newElementId();
    this.node = element('ul', {
      class: 'completions',
      role: 'listbox',
      id,
      'aria-label': strings.suggestions,
      hidden: true,
    });
    line.setAttribute('role', 'combobox');
    line.setAttribute('aria-autocomplete', 'list');
    line.setAttribute('aria-controls', id);
    this.hide();
    // A click on the list must not take the focus from the input.
    this.node.addEventListener('pointerdown', (event) => event.preventDefault());
  }

  get open(): boolean {
    return !this.node.hidden;
  }

  /** The completion that Enter inserts. */
  get chosen(): Completion | undefined {
    return this.#completions[this.#chosen];
  }

  get first(): Completion | undefined {
    return this.#completions[0];
  }

  /** Shows completions; `preselect` selects the first, so Enter inserts it. */
  show(completions: readonly Completion[], preselect: boolean): void {
    if (completions.length === 0) {
      this.hide();
      return;
    }
    this.#completions = completions;
    this.node.replaceChildren(...completions.map((completion) => this.#item(completion)));
    this.node.hidden = false;
    this.#line.setAttribute('aria-expanded', 'true');
    this.#choose(preselect ? 0 : -1);
  }

  hide(): void {
    this.#completions = [];
    this.#chosen = -1;
    this.node.hidden = true;
    this.node.replaceChildren();
    this.#line.setAttribute('aria-expanded', 'false');
    this.#line.removeAttribute('aria-activedescendant');
  }

  /** Moves the selection down or up, wrapping around. */
  move(by: 1 | -1): void {
    const { length } = this.#completions;
    const from = this.#chosen < 0 && by < 0 ? length : this.#chosen;
    this.#choose((from + by + length) % length);
  }

  #choose(index: number): void {
    this.#chosen = index;
    for (const [at, item] of [...this.node.children].entries()) {
      item.setAttribute('aria-selected', String(at === index));
      if (at === index) item.scrollIntoView({ block: 'nearest' });
    }
    const chosen = this.node.children[index];
    if (chosen) this.#line.setAttribute('aria-activedescendant', chosen.id);
    else this.#line.removeAttribute('aria-activedescendant');
  }

  #item(completion: Completion): HTMLElement {
    return element(
      'li',
      { role: 'option', id: newElementId(), on: { click: () => this.#onChoice(completion) } },
      element('span', { class: 'completion-label' }, completion.label),
      element('span', { class: 'completion-detail' }, completion.detail),
    );
  }
}
