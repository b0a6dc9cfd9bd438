import { adapterOf, type Operator, type PlatformAdapters, refusalOf } from '../../port/index.ts';
import type { Records } from '../../store/index.ts';
import { words } from '../../words/index.ts';
import { type Operators, operatorKey } from './operators.ts';

/** For how long an operator counts as told, in milliseconds: a little less than the time between two notices. */
const toldFor = 3_590_000;

/** The sentences operators get about the key. */
export type OperatorSentences = ReturnType<typeof words>['spending']['tellOperator'];

export interface OperatorNoticesDependencies {
  readonly operators: Pick<Operators, 'localeOf'>;
  readonly adapters: PlatformAdapters;
  /** Shared by all processes, each of which runs into the same trouble. */
  readonly notes: Pick<Records, 'add' | 'delete'>;
  readonly log: { warn(data: object, message: string): void };
}

/** A notice for operators: each gets it as a direct message, once, however many tries that takes. */
export class OperatorNotices {
  readonly #dependencies: OperatorNoticesDependencies;
  readonly #sentence: (say: OperatorSentences) => string;
  readonly #key: string;
  /** Of the same kind an operator gets only one an hour, from whichever process; undefined: from each that sends it. */
  readonly #kind: string | undefined;
  /** Operators who have it, or can't get it for good. */
  readonly #done = new Set<string>();

  /** `key` tells the notice apart from others wherever it's posted. */
  constructor(
    dependencies: OperatorNoticesDependencies,
    sentence: (say: OperatorSentences) => string,
    key: string,
    kind?: string,
  ) {
    this.#dependencies = dependencies;
    this.#sentence = sentence;
    this.#key = key;
    this.#kind = kind;
  }

  /** Sends it to those who don't have it yet. False if somebody has to be tried again. */
  async send(operators: readonly Operator[], sent?: (operator: Operator) => void): Promise<boolean> {
    const tries = operators.map((operator) => this.#sendTo(operator, sent));
    return (await Promise.all(tries)).every((isDone) => isDone);
  }

  async #sendTo(operator: Operator, sent?: (operator: Operator) => void): Promise<boolean> {
    const key = operatorKey(operator);
    if (this.#done.has(key)) return true;
    const { platform, person } = operator;
    const { notes } = this.#dependencies;
    const note = this.#kind && `operator notice ${this.#kind} ${key}`;
    try {
      if (note === undefined || (await notes.add(note, true, toldFor))) {
        await this.#post(operator);
        sent?.(operator);
      }
    } catch (error) {
      if (note !== undefined) await notes.delete(note).catch(() => {});
      const isFinal = refusalOf(error) !== undefined;
      const facts = { error, platform, person, triedAgain: !isFinal };
      this.#dependencies.log.warn(facts, 'an operator could not be notified about the key');
      if (!isFinal) return false;
    }
    this.#done.add(key);
    return true;
  }

  async #post(operator: Operator): Promise<void> {
    const { operators } = this.#dependencies;
    const { workspace, person } = operator;
    const adapter = adapterOf(this.#dependencies, operator);
    const say = words(await operators.localeOf(operator)).spending.tellOperator;
    const address = await adapter.directMessages(workspace, person);
    await adapter.post(address, { text: `${this.#sentence(say)}\n-# ${say.why}` }, `key:${this.#key}`);
  }
}
