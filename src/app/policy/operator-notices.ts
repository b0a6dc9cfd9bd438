import { type Operator, type PlatformAdapters, PlatformError } from '../../port/index.ts';
import { words } from '../../words/index.ts';
import { type Operators, operatorKey } from './operators.ts';

/** What operators are told about the key. */
export type Sentences = ReturnType<typeof words>['spending']['tellOperator'];

export interface OperatorNoticesDependencies {
  readonly operators: Pick<Operators, 'localeOf'>;
  readonly adapters: PlatformAdapters;
  readonly log: { warn(data: object, message: string): void };
}

/** One piece of news for people who run the bot: told to each directly and once, however often it takes a try. */
export class OperatorNotices {
  readonly #dependencies: OperatorNoticesDependencies;
  readonly #sentence: (say: Sentences) => string;
  readonly #key: string;
  /** Those who know, or can't be told for good. */
  readonly #settled = new Set<string>();

  /** `key` names the news wherever it's posted. */
  constructor(dependencies: OperatorNoticesDependencies, sentence: (say: Sentences) => string, key: string) {
    this.#dependencies = dependencies;
    this.#sentence = sentence;
    this.#key = key;
  }

  /** Tells those of them who don't know yet; false where somebody has to be tried again. */
  async tell(operators: readonly Operator[], told?: (operator: Operator) => void): Promise<boolean> {
    const tries = operators.map((operator) => this.#tellOne(operator, told));
    return (await Promise.all(tries)).every((isSettled) => isSettled);
  }

  async #tellOne(operator: Operator, told?: (operator: Operator) => void): Promise<boolean> {
    const key = operatorKey(operator);
    if (this.#settled.has(key)) return true;
    const { platform, person } = operator;
    try {
      await this.#post(operator);
      told?.(operator);
    } catch (error) {
      const isFinal = error instanceof PlatformError && error.kind !== 'unreachable';
      const what = { error, platform, person, triedAgain: !isFinal };
      this.#dependencies.log.warn(what, 'an operator could not be told about the key');
      if (!isFinal) return false;
    }
    this.#settled.add(key);
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
