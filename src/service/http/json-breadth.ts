const [quote, backslash, comma, bracket, brace] = [...'"\\,[{'].map((sign) => sign.charCodeAt(0));

/**
 * About how many values a JSON text holds, counted as its bytes arrive, before anything is parsed: a few kilobytes of
 * compressed brackets would take gigabytes as objects.
 */
export class JsonBreadth {
  #values = 1;
  #isText = false;
  #isEscaped = false;

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isText) {
        if (byte === quote) this.#isText = false;
        else if (byte === backslash) this.#isEscaped = true;
      } else if (byte === quote) this.#isText = true;
      else if (byte === comma || byte === bracket || byte === brace) this.#values += 1;
    }
  }

  /** Commas, arrays and objects outside of texts, and one. */
  get values(): number {
    return this.#values;
  }
}
