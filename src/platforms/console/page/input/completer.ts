import { writeValue } from '../../../../port/command-line/parse.ts';
import { fetchSuggestions } from '../api.ts';
import { element, newElementId } from '../elements/dom.ts';
import type { Model } from '../model.ts';
import { strings } from '../words/index.ts';
import {
  commandCompletions,
  type Completion,
  contextAt,
  type LineContext,
  optionCompletions,
  valueCompletions,
} from './command-line.ts';

/** Pause in typing before suggestions are fetched, in milliseconds. */
const suggestionDelay = 70;

/** Autocompletion of the input: commands, options, choices, and suggestions from the server. */
export class Completer {
  readonly list: CompletionList;
  readonly #line: HTMLTextAreaElement;
  readonly #model: Model;
  readonly #onChange: () => void;
  #context: LineContext | undefined;
  #timer: number | undefined;
  #dismissedAt: string | undefined;
  #updatedAt = '';

  constructor(line: HTMLTextAreaElement, model: Model, onChange: () => void) {
    this.#line = line;
    this.#model = model;
    this.#onChange = onChange;
    this.list = new CompletionList(line, (completion) => this.accept(completion));
  }

  /** What the cursor is in; undefined for plain text. */
  get context(): LineContext | undefined {
    return this.#context;
  }

  /** Updates the list after the input or the cursor changed; if neither did, it keeps what's chosen there. */
  update(): void {
    const { value, selectionStart, selectionEnd } = this.#line;
    // A browser tells of a moved cursor late: of one that an accepted completion moved, maybe after the next keys.
    const at = `${selectionStart} ${selectionEnd} ${value}`;
    if (this.list.open && at === this.#updatedAt) return;
    this.#updatedAt = at;
    clearTimeout(this.#timer);
    this.#context =
      selectionStart === selectionEnd ? contextAt(value, selectionStart, this.#model.commands) : undefined;
    const context = this.#context;
    if (!context || this.#dismissedAt === value) {
      this.list.hide();
      return;
    }
    this.#dismissedAt = undefined;
    if (context.kind === 'value' && context.option.suggests) this.#suggest(context);
    else this.#show(context, completionsFor(context, this.#model));
  }

  /** Hides the list until the input changes. */
  dismiss(): void {
    this.#dismissedAt = this.#line.value;
    this.list.hide();
  }

  /** Inserts a completion. */
  accept(completion: Completion): void {
    if (!this.#context) return;
    const { start, end } = this.#context;
    const after = this.#line.value.slice(end).replace(/^[ \t]+/, '');
    this.#line.setRangeText(completion.insert + after, start, this.#line.value.length, 'start');
    const cursor = start + completion.insert.length;
    this.#line.setSelectionRange(cursor, cursor);
    this.#line.focus();
    this.#onChange();
  }

  #show(context: LineContext, completions: readonly Completion[]): void {
    const exact = completions.some(
      ({ insert }) => insert.trim() === this.#line.value.slice(context.start, context.end),
    );
    // Already complete: Enter sends.
    if (exact && completions.length === 1) this.list.hide();
    else this.list.show(completions, (context.typed !== '' || context.kind === 'command') && !exact);
  }

  #suggest(context: Extract<LineContext, { kind: 'value' }>): void {
    this.#timer = setTimeout(async () => {
      const suggestions = await fetchSuggestions(
        context.definition.name,
        context.option.name,
        context.typed,
      ).catch(() => []);
      if (this.#context !== context) return;
      this.#show(
        context,
        suggestions.map(({ value, label }) => ({
          insert: `${writeValue(value)} `,
          label: value,
          detail: label === value ? '' : label,
        })),
      );
    }, suggestionDelay);
  }
}

function completionsFor(context: LineContext, model: Model): Completion[] {
  switch (context.kind) {
    case 'command':
      return commandCompletions(context.typed, model.commands);
    case 'option':
      return optionCompletions(context);
    case 'value':
      return valueCompletions(context.option, context.typed);
  }
}

/**
 * The list of completions above the input. The input keeps the focus; `aria-activedescendant` names the
 * selected item.
 */
class CompletionList {
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
