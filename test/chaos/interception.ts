import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What happens to everything that reaches a server. */
export type Interception =
  /** Passed on after so long, in milliseconds. */
  | { readonly kind: 'slow'; readonly milliseconds: number }
  /** Taken and never answered; the connections break when it is over. */
  | { readonly kind: 'stall' }
  /** Nobody is there: every connection breaks. */
  | { readonly kind: 'down' }
  /** Every request is answered alike. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    };

interface Trouble {
  readonly interception: Interception;
  readonly held: Set<Socket>;
}

/** Stands between the bot and the servers of this process, by port. */
export class Interceptor {
  readonly #troubles = new Map<number, Trouble>();
  readonly #restore: () => void;

  constructor() {
    const { emit } = Server.prototype;
    const intercept = (server: Server, name: string, values: unknown[], pass: () => boolean) =>
      this.#intercept(server, name, values, pass);
    Server.prototype.emit = function (this: Server, ...[name, ...values]: [string, ...unknown[]]): boolean {
      return intercept(this, name, values, () => emit.apply(this, [name, ...values] as never));
    } as typeof emit;
    this.#restore = () => {
      Server.prototype.emit = emit;
    };
  }

  begin(port: number, interception: Interception): void {
    this.end(port);
    this.#troubles.set(port, { interception, held: new Set() });
  }

  end(port: number): void {
    for (const socket of this.#troubles.get(port)?.held ?? []) socket.destroy();
    this.#troubles.delete(port);
  }

  close(): void {
    for (const port of this.#troubles.keys()) this.end(port);
    this.#restore();
  }

  #intercept(server: Server, name: string, values: readonly unknown[], pass: () => boolean): boolean {
    if (name !== 'request' && name !== 'upgrade') return pass();
    const address = server.address();
    const trouble = this.#troubles.get(typeof address === 'object' ? (address?.port ?? 0) : 0);
    if (!trouble) return pass();
    const { interception, held } = trouble;
    const { socket } = values[0] as IncomingMessage;
    if (interception.kind === 'slow') setTimeout(pass, interception.milliseconds);
    else if (interception.kind === 'stall') held.add(socket);
    else if (interception.kind === 'down' || name === 'upgrade') socket.destroy();
    else {
      const { status, headers, body } = interception;
      (values[1] as ServerResponse).writeHead(status, headers).end(body);
      (values[0] as IncomingMessage).resume();
    }
    return true;
  }
}
