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
