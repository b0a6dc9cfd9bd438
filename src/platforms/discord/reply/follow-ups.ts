import { type RawFile, RESTJSONErrorCodes } from 'discord.js';
import type Keyv from 'keyv';
import type { Clock } from '../../../lib/clock.ts';
import { isLocal } from '../../../lib/local-faults.ts';
import { type Capabilities, everyWorkspace, PlatformError } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { errorCode, UnconfirmedError } from '../api/errors.ts';
import { discordFeatures } from '../api/features.ts';
import type { MessageBody } from '../api/message-body.ts';
import { nonceMemory, nonceOf } from '../api/nonce.ts';

/** One further message of an interaction. */
export interface FollowUp {
  readonly token: string;
  /** The same where the same message is sent again. */
  readonly key: string;
  readonly body: MessageBody;
  readonly files: readonly RawFile[];
}

export interface FollowUpsDependencies {
  readonly api: DiscordApi;
  readonly applicationId: () => string;
  readonly capabilities: Capabilities;
  /** What was sent under which key. */
  readonly records: Keyv;
  readonly clock: Clock;
}

/** How long it's known what was sent, in milliseconds: longer than a token lives. */
const recordLife = 3_600_000;

interface FollowUpRecord {
  /** When it was sent. */
  readonly at: number;
  /** Absent where nobody knows whether it's there. */
  readonly message?: string;
}

/** Further messages by an interaction's token. Each stands there once at most, whatever becomes of the process. */
export class FollowUps {
  readonly #dependencies: FollowUpsDependencies;

  constructor(dependencies: FollowUpsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Posts one and answers its id: with a nonce where the live check saw Discord recognise it, so that it's sent until
   * it's there. On record before and after: Discord lists no follow-ups, so one that may be there can't be looked for.
   * @throws {UnconfirmedError} where nobody knows whether it's there, and it must not be sent again.
   */
  async post({ token, key, body, files }: FollowUp): Promise<string> {
    const { api, applicationId, capabilities, records, clock } = this.#dependencies;
    const name = nonceOf(token, key);
    const sent = await unlessLocal(records.get<FollowUpRecord>(name));
    if (sent?.message !== undefined) return sent.message;
    const isRecognised = (await capabilities.find(everyWorkspace, discordFeatures.followUpNonce)) === 'works';
    const now = clock.now();
    const at = sent?.at ?? now;
    const life = nonceMemory - Math.abs(now - at);
    if (sent && !(isRecognised && life > 0)) throw new UnconfirmedError(undefined);
    await this.#note(name, { at });
    const once = isRecognised ? { nonce: name, life } : undefined;
    try {
      const { id } = await api.followUp(applicationId(), token, body, files, once);
      await this.#note(name, { at, message: id });
      return id;
    } catch (error) {
      if (!mayBeThere(error, isRecognised)) await unlessLocal(records.delete(name));
      throw error;
    }
  }

  async #note(name: string, record: FollowUpRecord): Promise<void> {
    await unlessLocal(this.#dependencies.records.set(name, record, recordLife));
  }
}

/** A record that this machine can't read or keep just now: people need not wait for that. */
async function unlessLocal<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!isLocal(error)) throw error;
    return undefined;
  }
}

/**
 * Of what is sent several times one may have arrived, whatever the last answer was; of a single one the error tells. Unknown
 * Message (10008) is said of what somebody deleted, and of every follow-up: the same is not sent again after either.
 */
function mayBeThere(error: unknown, isRepeated: boolean): boolean {
  if (error instanceof UnconfirmedError || errorCode(error) === RESTJSONErrorCodes.UnknownMessage)
    return true;
  return isRepeated && !(error instanceof PlatformError && error.kind !== 'unreachable');
}
