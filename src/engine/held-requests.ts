import type { HeldRequest, PreparedRequest } from '../port/index.ts';

/** Requests that are being prepared, or were accepted and are neither carried out nor left yet. */
export class HeldRequests {
  readonly #held = new Set<Promise<void>>();

  /**
   * Prepares a request. What's accepted is held until it's carried out or left: once it's on record or acknowledged, its
   * person waits for it. Who leaves its scope without carrying it out abandons it.
   */
  async hold(prepare: () => Promise<PreparedRequest>): Promise<HeldRequest> {
    const { promise: left, resolve } = Promise.withResolvers<void>();
    this.#held.add(left);
    let isHeld = true;
    const leave = () => {
      isHeld = false;
      this.#held.delete(left);
      resolve();
    };
    let prepared: PreparedRequest | undefined;
    try {
      prepared = await prepare();
    } finally {
      if (prepared?.kind !== 'accepted') leave();
    }
    if (prepared.kind !== 'accepted') return Object.assign(notHeld(), prepared);
    const { record, run, abandon: leaves } = prepared;
    const abandon = (why?: 'refused') => leaves(why).finally(leave);
    let isBegun = false;
    return {
      ...prepared,
      async record() {
        let isNew = false;
        try {
          isNew = await record();
        } finally {
          if (!isNew) leave();
        }
        return isNew;
      },
      abandon,
      run(reply) {
        isBegun = true;
        return run(reply).finally(leave);
      },
      async [Symbol.asyncDispose]() {
        if (isHeld && !isBegun) await abandon();
      },
    };
  }

  /** Resolves when none of those is left that are held now. */
  async settled(): Promise<void> {
    await Promise.all(this.#held);
  }
}

const scope: AsyncDisposable = { [Symbol.asyncDispose]: async () => {} };

/** What leaves nothing behind. It has no properties of its own. */
function notHeld(): AsyncDisposable {
  return Object.create(scope);
}
