import type { Json } from '../records.ts';

/** An answer `{"ok": false, "error": …}`; its code is Slack's own. */
export class Failure extends Error {
  readonly code: string;
  readonly extra: Json;
  constructor(code: string, extra: Json = {}) {
    super(code);
    this.name = 'Failure';
    this.code = code;
    this.extra = extra;
  }
}

/** An answer with status 429 and `Retry-After`, in whole seconds. */
export class TooMany extends Error {
  readonly seconds: number;
  constructor(seconds: number) {
    super('ratelimited');
    this.name = 'TooMany';
    this.seconds = seconds;
  }
}
