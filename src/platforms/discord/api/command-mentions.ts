import { type APIApplicationCommand, ApplicationCommandType } from 'discord.js';
import type { Address, Message } from '../../../port/index.ts';

/** Code blocks, which show what's in them letter by letter. */
const codeBlocks = /(```[\s\S]*?(?:```|$))/;
/** A command's name as the bot's texts write it, on its own: `/help` as code, or **\/help** in bold. */
const namedCommands = /(?<![`\\])`\/([\w-]{1,32})`(?!`)|\*\*\/([\w-]{1,32})\*\*/g;

/**
 * Names of commands become mentions, which people click to use the command, and which their client shows in their
 * language (reference, message formatting). A mention needs the id that Discord gave the command; until that's known, and
 * where the command isn't registered, the name stays as it is.
 */
export class CommandMentions {
  /** Undefined: the commands are registered everywhere. */
  readonly #guildId: string | undefined;
  #ids: ReadonlyMap<string, string> = new Map();

  /** `guildId`: the only server in which the commands are registered. */
  constructor(guildId: string | undefined) {
    this.#guildId = guildId;
  }

  /** Remembers the ids of the commands that are registered now. */
  learn(registered: readonly Pick<APIApplicationCommand, 'id' | 'name' | 'type'>[]): void {
    const typed = registered.filter(({ type }) => type === ApplicationCommandType.ChatInput);
    this.#ids = new Map(typed.map(({ name, id }) => [name, id]));
  }

  /** A message at an address, with mentions instead of the names of commands. */
  linked(message: Message, { workspace }: Pick<Address, 'workspace'>): Message {
    const { text, unquoted, directly } = message;
    return {
      ...message,
      ...(text !== undefined && { text: this.linkedText(text, workspace) }),
      ...(unquoted !== undefined && { unquoted: this.linkedText(unquoted, workspace) }),
      ...(directly !== undefined && { directly: this.linkedText(directly, workspace) }),
    };
  }

  /** The same for a text; `guildId` is the server it's posted in, or the channel of direct messages. */
  linkedText(text: string, guildId: string): string {
    if (this.#guildId !== undefined && this.#guildId !== guildId) return text;
    const pieces = text.split(codeBlocks);
    return pieces.map((piece, index) => (index % 2 === 0 ? this.#linkedPiece(piece) : piece)).join('');
  }

  #linkedPiece(text: string): string {
    return text.replace(namedCommands, (whole, code: string | undefined, bold: string | undefined) => {
      const name = code ?? bold ?? '';
      const id = this.#ids.get(name);
      if (id === undefined) return whole;
      return bold === undefined ? `</${name}:${id}>` : `**</${name}:${id}>**`;
    });
  }
}
