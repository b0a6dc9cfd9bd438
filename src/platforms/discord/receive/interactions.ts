import {
  type APIInteractionResponse,
  type AutocompleteInteraction,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  InteractionResponseType,
  MessageFlags,
  type ModalSubmitInteraction,
} from 'discord.js';
import { localeOf, type MessageAddress, type Prepared, parseActionId } from '../../../port/index.ts';
import { cameTooLate } from '../api/errors.ts';
import { bodyOf, textsOf } from '../api/payload.ts';
import { areSnowflakes, isToken } from '../api/snowflakes.ts';
import { formShape } from '../commands/forms.ts';
import { liveCheckCommand } from '../commands/live-check-command.ts';
import { enteredValues, type ReadText, shownFiles, typedValues } from '../commands/option-values.ts';
import { type AnswerHeaders, headerOf } from '../reply/header.ts';
import { InteractionSeat, ticketFor } from '../reply/interaction-reply-target.ts';
import { ticketFields } from '../reply/interaction-token.ts';
import type { Asked } from './interaction-context.ts';
import { askedOf } from './interaction-context.ts';
import type { ReceiverParts } from './receiver.ts';
import { namedText } from './text/named-text.ts';
import { namesInInteraction } from './text/names.ts';

const maxChoiceLength = 100;

/** Takes commands, presses, forms and typing to the dispatcher: acknowledged first, carried out after. */
export class Interactions {
  readonly #parts: ReceiverParts;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
  }

  async take(interaction: Interaction): Promise<void> {
    const { id, token, user, channelId, guildId } = interaction;
    if (!isToken(token) || !areSnowflakes(id, user.id, channelId, guildId ?? '0')) return;
    if (interaction.isAutocomplete()) return this.#complete(interaction);
    if (!this.#parts.recent.isNew(interaction.id)) return;
    // Others are not the bot's: the live check has buttons and a command of its own.
    if ('customId' in interaction && !parseActionId(interaction.customId)) return;
    if (interaction.isCommand() && interaction.commandName === liveCheckCommand) return;
    const asked = askedOf(interaction, this.#parts);
    const refusal = await this.#parts.allowed.refusal(interaction.guildId, asked.userId, asked.locale);
    if (refusal !== undefined) return this.#refuse(asked, refusal);
    if (interaction.isChatInputCommand()) return this.#command(interaction);
    if (interaction.isButton()) return this.#press(interaction);
    if (interaction.isModalSubmit() && interaction.isFromMessage()) return this.#press(interaction);
  }

  async #complete(interaction: AutocompleteInteraction): Promise<void> {
    const { locale } = askedOf(interaction, this.#parts);
    const { name, value } = interaction.options.getFocused(true);
    const suggestions = this.#parts.dispatcher.suggest(interaction.commandName, name, String(value), locale);
    const choices = suggestions
      .filter((suggestion) => suggestion.value.length <= maxChoiceLength)
      .map((suggestion) => ({ name: suggestion.label.slice(0, maxChoiceLength), value: suggestion.value }));
    const unique = [...new Map(choices.map((choice) => [choice.name, choice])).values()];
    await this.#acknowledge(interaction, {
      type: InteractionResponseType.ApplicationCommandAutocompleteResult,
      data: { choices: unique },
    });
  }

  async #command(interaction: ChatInputCommandInteraction): Promise<void> {
    const asked = askedOf(interaction, this.#parts);
    const prepared = await this.#parts.dispatcher.prepare({
      eventId: interaction.id,
      command: interaction.commandName,
      options: typedValues(interaction.options.data, this.#reader(interaction, interaction.options.resolved)),
      address: this.#addressFor(asked),
      requester: asked.requester,
      missing: asked.missing,
      acknowledgement: ticketFields(ticketFor({ ...asked, hidden: false })),
    });
    if (prepared.kind === 'refused') return this.#refuse(asked, prepared.text);
    if (prepared.kind === 'accepted') await this.#carryOut(asked, prepared, undefined);
  }

  async #press(
    interaction: ButtonInteraction | (ModalSubmitInteraction & { readonly message: object | null }),
  ): Promise<void> {
    const asked = askedOf(interaction, this.#parts);
    const source = interaction.message;
    if (!source || !areSnowflakes(source.id)) return;
    const hiddenSource = source.flags.has(MessageFlags.Ephemeral);
    const prepared = await this.#parts.dispatcher.preparePress({
      eventId: interaction.id,
      actionId: interaction.customId,
      address: this.#addressFor(asked),
      message: this.#messageAddress(asked, source.id, hiddenSource),
      requester: asked.requester,
      missing: asked.missing,
      files: shownFiles(source, asked.botIsMember),
      ...(!hiddenSource && {
        acknowledgement: ticketFields(ticketFor({ ...asked, hidden: false })),
      }),
      ...(interaction.isModalSubmit() && {
        values: enteredValues(interaction, this.#reader(interaction, interaction.fields.resolved)),
      }),
    });
    if (prepared.kind === 'refused') return this.#refuse(asked, prepared.text);
    if (prepared.kind === 'form') {
      const command = this.#parts.dispatcher.commands.find(({ name }) => name === prepared.form.command);
      const { guild } = interaction;
      const isRole = (id: string) => guild?.roles.cache.has(id) === true;
      const data = formShape(interaction.customId, prepared.form, command, {
        locale: asked.locale,
        isRole,
      });
      return this.#acknowledge(asked, { type: InteractionResponseType.Modal, data });
    }
    await this.#carryOut(asked, prepared, hiddenSource);
  }

  async #refuse(asked: Asked, text: string): Promise<void> {
    const [first] = textsOf({ text });
    const { content, allowed_mentions } = bodyOf(first);
    await this.#acknowledge(asked, {
      type: InteractionResponseType.ChannelMessageWithSource,
      data: { content, allowed_mentions, flags: MessageFlags.SuppressEmbeds | MessageFlags.Ephemeral },
    });
  }

  /**
   * Acknowledges and runs. A press that only changes what is there, or whose message only one person sees, is
   * acknowledged as a change of that message: it can be edited then, and the answer stands on its own.
   */
  async #carryOut(
    asked: Asked,
    prepared: Prepared & { kind: 'accepted' },
    hiddenSource: boolean | undefined,
  ): Promise<void> {
    if (!(await prepared.secure())) return;
    const onSource = prepared.seenBy === 'nobody' || hiddenSource === true;
    const hidden = prepared.seenBy === 'requester' || prepared.seenBy === 'nobody';
    const response: APIInteractionResponse = onSource
      ? { type: InteractionResponseType.DeferredMessageUpdate }
      : {
          type: InteractionResponseType.DeferredChannelMessageWithSource,
          ...(hidden && { data: { flags: MessageFlags.Ephemeral } }),
        };
    const inTime = await this.#inTime(asked, response, hidden).catch(async (error: unknown) => {
      await prepared.abandon();
      throw error;
    });
    const seat = new InteractionSeat(this.#parts.routes, { ...asked, hidden, deferred: inTime && !onSource });
    const how = hiddenSource === undefined ? 'typed' : 'pressed';
    await prepared.run(this.#parts.reply(seat, asked.locale, this.#headersFor(asked, prepared, how)));
    if (seat.pending) await seat.discard();
  }

  /** Who asked what, above an answer that all see. */
  #headersFor(
    { requester }: Asked,
    { given, seenBy }: Prepared & { kind: 'accepted' },
    how: 'typed' | 'pressed',
  ): AnswerHeaders {
    if (seenBy !== 'channel' || !given) return {};
    const command = this.#parts.dispatcher.commands.find(({ name }) => name === given.command);
    return {
      header: headerOf(requester.name, given, command, how),
      detachedHeader: headerOf(requester.name, given, command, 'pressed'),
    };
  }

  /** False where it is too late for the interaction, but the bot can answer with a message of its own. */
  async #inTime(asked: Asked, response: APIInteractionResponse, hidden: boolean): Promise<boolean> {
    try {
      await this.#acknowledge(asked, response);
      return true;
    } catch (error) {
      if (!cameTooLate(error) || hidden || !asked.botIsMember) throw error;
      return false;
    }
  }

  #acknowledge({ id, token }: Pick<Asked, 'id' | 'token'>, response: APIInteractionResponse): Promise<void> {
    return this.#parts.routes.api.acknowledge(id, token, response);
  }

  /** Reads the words a person writes for a command: with names in the place of ids, which nobody else understands. */
  #reader(interaction: Interaction, resolved: Parameters<typeof namesInInteraction>[1]): ReadText {
    const written = new Set(this.#parts.dispatcher.commands.map(({ textOption }) => textOption));
    const names = namesInInteraction(interaction, resolved);
    const locale = localeOf(interaction.locale);
    return (name, text) => (written.has(name) ? namedText(text, names, locale) : text);
  }

  /** Where only the token reaches, the address carries it. */
  #addressFor(asked: Asked) {
    if (asked.botIsMember) return asked.address;
    return {
      ...asked.address,
      ticket: ticketFields(ticketFor({ ...asked, hidden: false })),
    };
  }

  /**
   * The message under a button. Where the bot is no member, or only one person sees it, it is changed by the token
   * of the press, which surely knows it as `@original` of a press that is acknowledged as a change of it.
   */
  #messageAddress(asked: Asked, message: string, hidden: boolean): MessageAddress {
    if (asked.botIsMember && !hidden) return { ...asked.address, message };
    const ticket = ticketFields(ticketFor({ ...asked, hidden }));
    return { ...asked.address, message: '@original', ticket };
  }
}
