import { MessageFlags, RESTJSONErrorCodes } from 'discord-api-types/v10';
import type Keyv from 'keyv';
import type { Clock } from '../../../lib/clock.ts';
import { unlessLocal } from '../../../lib/local-faults.ts';
import { type Capabilities, everyWorkspace, refusalOf } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { discordFeatures, errorCode, UnconfirmedError } from '../api/errors.ts';
import { type MessageContent, nonceLifetime, nonceOf } from '../api/messages.ts';

/** A further message of an interaction, posted by its token. */
interface FollowUp extends MessageContent {
  readonly token: string;
  /** The same if the same message is sent again. */
  readonly key: string;
  /** Only the requester sees it. */
  readonly hidden?: boolean;
}

interface FollowUpsDependencies {
  readonly api: DiscordApi;
  readonly applicationId: () => string;
  readonly capabilities: Capabilities;
  /** Records of what was sent. */
  readonly records: Keyv;
  readonly unlessTakenOver: () => Promise<void>;
  readonly clock: Clock;
}

/** How long records are kept, in milliseconds: longer than a token lives. */
const recordLifetime = 3_600_000;

interface FollowUpRecord {
  /** When it was sent. */
  readonly at: number;
  /** Its id; absent while nobody knows whether it's there. */
  readonly message?: string;
}

/** Follow-ups of interactions. Each is posted at most once, whatever happens to the process. */
export class FollowUps {
  readonly #dependencies: FollowUpsDependencies;

  constructor(dependencies: FollowUpsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Posts a follow-up and returns its id. If the live check found that Discord recognises its nonce, it's repeated until
   * it's there. A record is written before and after: follow-ups can't be listed, so one can't be searched for.
   * @throws {UnconfirmedError} if nobody knows whether it's there, and it must not be sent again.
   */
  async post({ token, key, hidden, body, files = [], pace }: FollowUp): Promise<string> {
    const { api, applicationId, capabilities, records, unlessTakenOver, clock } = this.#dependencies;
    const name = nonceOf(token, key);
    // People needn't wait for what this machine can't read or write.
    const sent = await records.get<FollowUpRecord>(name).catch(unlessLocal);
    if (sent?.message !== undefined) return sent.message;
    const isRecognised = (await capabilities.find(everyWorkspace, discordFeatures.followUpNonce)) === 'works';
    const now = clock.now();
    const at = sent?.at ?? now;
    const life = nonceLifetime - Math.abs(now - at);
    if (sent && !(isRecognised && life > 0)) throw new UnconfirmedError(undefined);
    await this.#save(name, { at });
    const once = isRecognised ? { nonce: name, life } : undefined;
    try {
      const flags = (body.flags ?? 0) | (hidden ? MessageFlags.Ephemeral : 0);
      const content = { body: { ...body, flags }, files, pace: { ...pace, beforeSending: unlessTakenOver } };
      const { id } = await api.followUp(applicationId(), token, content, once);
      await this.#save(name, { at, message: id });
      return id;
    } catch (error) {
      if (!mayBeThere(error, isRecognised)) await records.delete(name).catch(unlessLocal);
      throw error;
    }
  }

  async #save(name: string, record: FollowUpRecord): Promise<void> {
    await this.#dependencies.records.set(name, record, recordLifetime).catch(unlessLocal);
  }
}

/**
 * Whether a follow-up that failed may be there. One of several tries may have arrived, whatever the last response was.
 * Unknown Message (10008) is the response for one that somebody deleted, and for every follow-up after the loading
 * message was deleted: it's not sent again in either case.
 */
function mayBeThere(error: unknown, isRepeated: boolean): boolean {
  if (error instanceof UnconfirmedError || errorCode(error) === RESTJSONErrorCodes.UnknownMessage)
    return true;
  return isRepeated && !refusalOf(error);
}
