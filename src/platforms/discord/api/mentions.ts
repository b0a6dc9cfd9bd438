import {
  type APIApplicationCommand,
  ApplicationCommandOptionType,
  ApplicationCommandType,
} from 'discord-api-types/v10';
import type { Address, Message } from '../../../port/index.ts';

/** Code blocks, which show what's in them letter by letter. */
const codeBlocks = /(```[\s\S]*?(?:```|$))/;
/** A command's name as the bot's texts write it, on its own: `/help` as code, or **\/help** in bold. */
const namedCommands = /(?<![`\\])`\/([\w-]{1,32})`(?!`)|\*\*\/([\w-]{1,32})\*\*/g;
const namedPeople = /<@(\d{17,20})>/g;

/** How each command is mentioned, by its name. */
type CommandMentions = ReadonlyMap<string, string>;

interface MentionsDependencies {
  /** The only server in which the commands are registered; undefined: they are everywhere. */
  readonly guildId: string | undefined;
  /** Whether a server has a role of this id. */
  readonly isRole: (guildId: string, id: string) => boolean;
}

/**
 * Mentions in the bot's own texts (reference, message formatting). Names of commands become mentions that people click
 * to use the command, and that their client shows in their language. Such a mention needs the id that Discord gave the
 * command; until that's known, and where the command isn't registered, the name stays as it is. A mention of a person
 * becomes one of a role if that's what has the id: the two look the same to the rest of the bot.
 */
export class Mentions {
  readonly #dependencies: MentionsDependencies;
  #commands: CommandMentions = new Map();

  constructor(dependencies: MentionsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Remembers the ids of the commands that are registered now. One with sub-commands is mentioned by its first. */
  learn(registered: readonly Pick<APIApplicationCommand, 'id' | 'name' | 'type' | 'options'>[]): void {
    const typed = registered.filter(({ type }) => type === ApplicationCommandType.ChatInput);
    this.#commands = new Map(
      typed.map(({ name, id, options }) => {
        const [first] = options ?? [];
        const isSub = first?.type === ApplicationCommandOptionType.Subcommand;
        return [name, `</${isSub ? `${name} ${first.name}` : name}:${id}>`];
      }),
    );
  }

  /** A message at an address, with these mentions. */
  linked(message: Message, { workspace }: Pick<Address, 'workspace'>): Message {
    const { text, unquoted, directly } = message;
    return {
      ...message,
      ...(text !== undefined && { text: this.linkedText(text, workspace) }),
      ...(unquoted !== undefined && { unquoted: this.linkedText(unquoted, workspace) }),
      ...(directly !== undefined && { directly: this.linkedText(directly, workspace) }),
    };
  }

  /** The same for a text; `place` is the server it's posted in, or the channel of direct messages. */
  linkedText(text: string, place: string): string {
    const { guildId } = this.#dependencies;
    const commands: CommandMentions = guildId === undefined || guildId === place ? this.#commands : new Map();
    const pieces = text.split(codeBlocks);
    return pieces
      .map((piece, index) =>
        index % 2 === 0 ? this.#withRoles(withCommands(piece, commands), place) : piece,
      )
      .join('');
  }

  #withRoles(text: string, place: string): string {
    const { isRole } = this.#dependencies;
    return text.replace(namedPeople, (whole, id: string) => (isRole(place, id) ? `<@&${id}>` : whole));
  }
}

function withCommands(text: string, commands: CommandMentions): string {
  return text.replace(namedCommands, (whole, code: string | undefined, bold: string | undefined) => {
    const mention = commands.get(code ?? bold ?? '');
    if (mention === undefined) return whole;
    return bold === undefined ? mention : `**${mention}**`;
  });
}
