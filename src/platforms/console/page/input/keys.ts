import type { Completer } from './completer.ts';

interface KeyDependencies {
  readonly line: HTMLTextAreaElement;
  readonly completer: Completer;
  readonly history: InputHistory;
  /** Replaces the input. */
  write(line: string): void;
  send(): void;
}

/** Handles keys in the input: select a completion, recall sent inputs, send. */
export function handleKeys(dependencies: KeyDependencies): void {
  dependencies.line.addEventListener('keydown', (event) => {
    // While an IME is composing, Enter and the arrows belong to it.
    if (event.isComposing) return;
    const taken =
      completionKey(event, dependencies) || historyKey(event, dependencies) || sendKey(event, dependencies);
    if (taken) event.preventDefault();
  });
}

/** True if the completion list handled the key. */
function completionKey({ key, shiftKey }: KeyboardEvent, { completer }: KeyDependencies): boolean {
  const { list } = completer;
  if (!list.open || shiftKey) return false;
  const taken = key === 'Enter' ? list.chosen : key === 'Tab' ? (list.chosen ?? list.first) : undefined;
  if (taken) completer.accept(taken);
  else if (key === 'ArrowDown' || key === 'ArrowUp') list.move(key === 'ArrowDown' ? 1 : -1);
  else if (key === 'Escape') completer.dismiss();
  else return false;
  return true;
}

/** True if the key recalled an input. */
function historyKey({ key }: KeyboardEvent, { line, history, write }: KeyDependencies): boolean {
  const { value, selectionStart, selectionEnd } = line;
  if (selectionStart !== selectionEnd) return false;
  const onFirst = !value.slice(0, selectionStart).includes('\n');
  const onLast = !value.slice(selectionEnd).includes('\n');
  const recalled =
    key === 'ArrowUp' && onFirst
      ? history.older(value)
      : key === 'ArrowDown' && onLast
        ? history.newer()
        : undefined;
  if (recalled === undefined) return false;
  write(recalled);
  return true;
}

/** True if the key sent the input; Enter of an on-screen keyboard inserts a line break instead. */
function sendKey({ key, shiftKey }: KeyboardEvent, { send }: KeyDependencies): boolean {
  const onScreen = matchMedia('(hover: none) and (pointer: coarse)').matches;
  if (key !== 'Enter' || shiftKey || onScreen) return false;
  send();
  return true;
}

const storageKey = 'troupe.lines';
const kept = 100;

/** Inputs sent from this browser, newest last, for the arrow keys. */
export class InputHistory {
  #at: number | undefined;
  #draft = '';

  /** Adds a sent input. */
  add(line: string): void {
    const lines = read().filter((other) => other !== line);
    localStorage.setItem(storageKey, JSON.stringify([...lines, line].slice(-kept)));
    this.reset();
  }

  /** The previous input; undefined if there is none. Keeps the unsent input for `newer`. */
  older(current: string): string | undefined {
    const lines = read();
    if (this.#at === undefined) this.#draft = current;
    const at = (this.#at ?? lines.length) - 1;
    if (at < 0) return undefined;
    this.#at = at;
    return lines[at];
  }

  /** The next input, and finally the unsent one; undefined if none was recalled. */
  newer(): string | undefined {
    if (this.#at === undefined) return undefined;
    const lines = read();
    this.#at++;
    if (this.#at < lines.length) return lines[this.#at];
    this.#at = undefined;
    return this.#draft;
  }

  /** Starts again from the newest input. */
  reset(): void {
    this.#at = undefined;
  }
}

function read(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(stored) ? stored.filter((line) => typeof line === 'string') : [];
  } catch {
    return [];
  }
}
