import { writeValue } from '../../../../port/command-line/parse.ts';
import { fetchSuggestions } from '../api.ts';
import type { Model } from '../model.ts';
import {
  type Completion,
  commandCompletions,
  contextAt,
  type LineContext,
  optionCompletions,
  valueCompletions,
} from './completion.ts';
import { CompletionList } from './completion-list.ts';

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

  /** Updates the list after the input or the cursor changed. */
  update(): void {
    const { value, selectionStart, selectionEnd } = this.#line;
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
