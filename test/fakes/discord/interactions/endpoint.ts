import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Fields } from '../http/fields.ts';
import { isFields } from '../http/fields.ts';
import type { OpenApi } from '../http/open-api.ts';
import { Refusal } from '../http/refusal.ts';
import type { Journal } from '../journal.ts';
import type { Interaction } from '../model.ts';
import type { World } from '../world.ts';
import type { Interactions } from './interactions.ts';

/** Milliseconds of a timestamp that nobody takes for a new one. */
const longAgo = 3_600_000;

/** One request to the endpoint. */
export interface Delivery {
  readonly interactionId: string;
  /** 0 if the connection failed, or nothing came in time. */
  status: number;
  body: string;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

interface Signed {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends interactions to the application's Interactions Endpoint URL instead of the gateway (interactions/overview). */
export class Endpoint {
  /** As the developer portal shows it: 64 hexadecimal digits. */
  readonly publicKey: string;
  readonly deliveries: Delivery[] = [];
  /** What the last security check found; the URL is removed then. */
  removedFor: string | undefined;
  /** How many more times each interaction is sent, as something on its way might. */
  repeats = 0;
  /** A security check comes after so many interactions. */
  betweenChecks = 5;
  readonly #key: KeyObject;
  readonly #world: World;
  readonly #interactions: Interactions;
  readonly #journal: () => Journal;
  readonly #openApi: OpenApi | undefined;

  constructor(
    world: World,
    interactions: Interactions,
    journal: () => Journal,
    openApi: OpenApi | undefined,
  ) {
    this.#world = world;
    this.#interactions = interactions;
    this.#journal = journal;
    this.#openApi = openApi;
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    this.#key = privateKey;
    this.publicKey = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex');
    world.verifyKey = this.publicKey;
  }

  /**
   * The owner saves a URL in the portal: Discord sends a PING, and requests that have to be refused.
   * @throws {Error} as the portal refuses it.
   */
  async save(url: string): Promise<void> {
    const fault = await this.#fault(url);
    if (fault) throw new Error(`The specified interactions endpoint url could not be verified: ${fault}`);
    this.#world.interactionsEndpoint = url;
    this.removedFor = undefined;
    this.#world.changed();
  }

  /** Looks whether the endpoint refuses what isn't Discord's; removes the URL if it doesn't. */
  async check(): Promise<void> {
    const url = this.#world.interactionsEndpoint;
    const fault = url === null ? undefined : await this.#fault(url);
    if (fault === undefined || this.#world.interactionsEndpoint !== url) return;
    this.removedFor = fault;
    this.#world.interactionsEndpoint = null;
    this.#journal().violations.push(`the interactions endpoint was removed: ${fault}`);
    this.#world.changed();
  }

  /** Sends an interaction, and takes the answer if it's in the response. */
  deliver(body: Fields, interaction: Interaction): void {
    const url = this.#world.interactionsEndpoint;
    if (url === null) throw new Error('no interactions endpoint is set');
    const isAnswered = { yet: false };
    for (let times = 0; times <= this.repeats; times++)
      void this.#deliver(url, body, interaction, isAnswered);
    if (this.deliveries.length % this.betweenChecks === 0) void this.check();
  }

  /** A request as Discord signs it. */
  signed(body: string, timestamp = this.#now()): Signed {
    const signature = sign(null, Buffer.from(timestamp + body), this.#key).toString('hex');
    return {
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Discord-Interactions/1.0 (+https://discord.com)',
        'x-signature-ed25519': signature,
        'x-signature-timestamp': timestamp,
      },
    };
  }

  /** What's on the way gives Discord one answer with a callback: whichever comes first. */
  async #deliver(
    url: string,
    body: Fields,
    interaction: Interaction,
    isAnswered: { yet: boolean },
  ): Promise<void> {
    const delivery: Delivery = { interactionId: interaction.id, status: 0, body: '' };
    this.deliveries.push(delivery);
    const answer = await this.#post(url, this.signed(JSON.stringify(body)));
    if (answer) Object.assign(delivery, { status: answer.status, body: answer.text });
    const isLate = answer?.status === 200 && isAnswered.yet;
    isAnswered.yet ||= answer?.status === 200;
    const fault = answer && !isLate && this.#take(answer, interaction);
    if (fault) this.#journal().violations.push(`answer to interaction ${interaction.id}: ${fault}`);
    this.#world.changed();
  }

  /** What's wrong with an answer; one with a status of its own fails the interaction, which isn't forbidden. */
  #take({ status, type, text }: Answer, interaction: Interaction): string | undefined {
    if (status === 202) return text === '' ? undefined : 'a 202 has no body';
    if (status !== 200) return undefined;
    const callback = parsed(text);
    if (!type.startsWith('application/json') || !callback) return 'a 200 has a callback as its JSON';
    const path = '/interactions/{interaction_id}/{interaction_token}/callback';
    const fault = this.#openApi?.requestFault('POST', path, callback);
    if (fault) return fault;
    try {
      this.#interactions.answerInResponse(interaction, callback);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return `${error.code} ${error.message}`;
    }
    return undefined;
  }

  /** What's wrong with an endpoint, by what it says to a PING and to requests that Discord never sends in earnest. */
  async #fault(url: string): Promise<string | undefined> {
    const { ids, applicationId, bot } = this.#world;
    const ping = JSON.stringify({
      version: 1,
      type: 1,
      token: 'aW50ZXJhY3Rpb246',
      id: ids.next(),
      application_id: applicationId,
      user: { id: bot.id, username: bot.name },
      entitlements: [],
      authorizing_integration_owners: {},
    });
    const good = this.signed(ping);
    const pong = await this.#post(url, good);
    const isPong = pong?.status === 200 && pong.type.startsWith('application/json');
    if (!isPong || parsed(pong.text)?.type !== 1)
      return `a PING was answered with ${pong?.status ?? 'nothing'}`;
    for (const [name, request] of Object.entries(this.#forgeries(good))) {
      const answer = await this.#post(url, request);
      if (answer?.status !== 401) return `${name} was answered with ${answer?.status ?? 'nothing'}`;
    }
    return undefined;
  }

  #forgeries(good: Signed): Readonly<Record<string, Signed>> {
    const { 'x-signature-ed25519': signature = '', 'x-signature-timestamp': at, ...plain } = good.headers;
    const withSignature = (text: string) => ({
      ...good,
      headers: { ...good.headers, 'x-signature-ed25519': text },
    });
    const turned = `${signature.startsWith('0') ? '1' : '0'}${signature.slice(1)}`;
    const other = sign(null, Buffer.from(at + good.body), generateKeyPairSync('ed25519').privateKey);
    return {
      'a wrong signature': withSignature(turned),
      "another key's signature": withSignature(other.toString('hex')),
      'half a signature': withSignature(signature.slice(0, 64)),
      'a signature that is none': withSignature('zz'.repeat(64)),
      'a body that was changed': { ...good, body: good.body.replace('"version":1', '"version":2') },
      'a timestamp that was changed': {
        ...good,
        headers: { ...good.headers, 'x-signature-timestamp': `${at}0` },
      },
      'no signature': { ...good, headers: plain },
      'an old timestamp': this.signed(good.body, this.#now(longAgo)),
    };
  }

  async #post(url: string, { body, headers }: Signed): Promise<Answer | undefined> {
    const ended = new AbortController();
    const cancel = this.#world.clock.after(this.#interactions.patience, () => ended.abort());
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal: ended.signal });
      const type = response.headers.get('content-type') ?? '';
      return { status: response.status, type, text: await response.text() };
    } catch {
      return undefined;
    } finally {
      cancel();
    }
  }

  #now(ago = 0): string {
    return String(Math.floor((this.#world.clock.now() - ago) / 1_000));
  }
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
