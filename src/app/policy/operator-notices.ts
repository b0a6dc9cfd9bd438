import { type Operator, type PlatformAdapters, PlatformError } from '../../port/index.ts';
import { words } from '../../words/index.ts';
import { type Operators, operatorKey } from './operators.ts';

/** The sentences operators get about the key. */
export type OperatorSentences = ReturnType<typeof words>['spending']['tellOperator'];

export interface OperatorNoticesDependencies {
  readonly operators: Pick<Operators, 'localeOf'>;
  readonly adapters: PlatformAdapters;
  readonly log: { warn(data: object, message: string): void };
}

/** A notice for operators: each gets it as a direct message, once, however many tries that takes. */
export class OperatorNotices {
  readonly #dependencies: OperatorNoticesDependencies;
  readonly #sentence: (say: OperatorSentences) => string;
  readonly #key: string;
  /** Operators who have it, or can't get it for good. */
  readonly #done = new Set<string>();

  /** `key` tells the notice apart from others wherever it's posted. */
  constructor(
    dependencies: OperatorNoticesDependencies,
    sentence: (say: OperatorSentences) => string,
    key: string,
  ) {
    this.#dependencies = dependencies;
    this.#sentence = sentence;
    this.#key = key;
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
    try {
      await this.#post(operator);
      sent?.(operator);
    } catch (error) {
      const isFinal = error instanceof PlatformError && error.kind !== 'unreachable';
      const facts = { error, platform, person, triedAgain: !isFinal };
      this.#dependencies.log.warn(facts, 'an operator could not be notified about the key');
      if (!isFinal) return false;
    }
    this.#done.add(key);
    return true;
  }

  async #post(operator: Operator): Promise<void> {
    const { operators, adapters } = this.#dependencies;
    const { platform, workspace, person } = operator;
    const adapter = adapters(platform);
    if (!adapter) throw new PlatformError('unreachable', `${platform} is not running`);
    const say = words(await operators.localeOf(operator)).spending.tellOperator;
    const address = await adapter.directMessages(workspace, person);
    await adapter.post(address, { text: `${this.#sentence(say)}\n-# ${say.why}` }, `key:${this.#key}`);
  }
}
