import { decodeErrorValue, isErrorValue } from '../decode/error-body.ts';
import { decodeVoices, type Voice } from '../decode/voices.ts';
import { errorFromAnswer } from '../errors/error-from-answer.ts';
import { badResponse, readJson } from '../http/read-json.ts';
import type { Answer } from '../http/transport.ts';
import type { CallOptions } from '../options.ts';
import type { Context } from './context.ts';

const listBytes = 4 * 2 ** 20;
const mostValues = 50_000;
const listedFor = 600_000;

/** The voices (description, GET /audio/voices). */
export class Voices {
  readonly #context: Context;
  #listed: { ids: readonly string[]; until: number } | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Every voice in the service's list. Free. */
  async list(options: CallOptions = {}): Promise<Voice[]> {
    const { calls, clock, timeouts } = this.#context;
    const voices = await calls.run(
      {
        operation: 'voices',
        group: 'voice',
        method: 'GET',
        path: '/audio/voices',
        accept: 'application/json',
        paid: false,
        limit: timeouts.read,
      },
      options,
      (answer) => this.#read(answer),
    );
    this.#listed = { ids: voices.map((voice) => voice.id), until: clock.steady() + listedFor };
    return voices;
  }

  /** The ids listed in the last ten minutes; otherwise requests the list. */
  async ids(options: CallOptions): Promise<readonly string[]> {
    if (this.#listed && this.#listed.until > this.#context.clock.steady()) return this.#listed.ids;
    return (await this.list(options)).map((voice) => voice.id);
  }

  async #read(answer: Answer): Promise<Voice[]> {
    const bytes = Math.min(listBytes, this.#context.limits.answerBytes);
    const value = await readJson(answer, { bytes, values: mostValues });
    const voices = decodeVoices(value);
    if (voices) return voices;
    const { operation, requestId } = answer;
    if (isErrorValue(value))
      throw errorFromAnswer({ operation, status: 200, body: decodeErrorValue(value), requestId });
    this.#context.shapes.report(operation, 'list of voices', value);
    throw badResponse(answer, 'the answer is no list of voices');
  }
}
