import { type APIMessage, type Client, Events, GatewayDispatchEvents } from 'discord.js';
import { BoundedMap } from '../../../lib/bounded-map.ts';

/** Messages kept between their arrival and their event, which the library may hold back until it's ready. */
const most = 100;

/** Messages that refer to others, as they arrived: the library drops what they refer to where it caches no messages. */
export class ReferringMessages {
  readonly #messages = new BoundedMap<string, APIMessage>({ most });

  constructor(client: Client) {
    client.on(Events.Raw, ({ t, d }: { readonly t: string | null; readonly d: APIMessage }) => {
      if (t === GatewayDispatchEvents.MessageCreate && d.message_reference) this.#messages.set(d.id, d);
    });
  }

  /** Returns a message once. */
  take(id: string): APIMessage | undefined {
    const message = this.#messages.get(id);
    this.#messages.delete(id);
    return message;
  }
}
