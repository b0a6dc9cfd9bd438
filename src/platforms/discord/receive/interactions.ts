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
import {
  type Address,
  localeOf,
  type MessageAddress,
  type PreparedRequest,
  parseActionId,
} from '../../../port/index.ts';
import { isExpired } from '../api/errors.ts';
import { messageBody, splitText } from '../api/message-body.ts';
import { areSnowflakes, isToken } from '../api/snowflakes.ts';
import { modalFor } from '../commands/forms.ts';
import { liveCheckCommand } from '../commands/live-check-command.ts';
import { enteredValues, type ReadText, shownFiles, typedValues } from '../commands/option-values.ts';
import { type AnswerHeaders, headerOf } from '../reply/header.ts';
import { InteractionReplyTarget, interactionToken } from '../reply/interaction-reply-target.ts';
import { serializeToken } from '../reply/interaction-token.ts';
import type { InteractionContext } from './interaction-context.ts';
import { interactionContext } from './interaction-context.ts';
import { namesInInteraction } from './mention-names.ts';
import { namedText } from './readable-text.ts';
import type { ReceiverDependencies } from './receiver-dependencies.ts';

const maxChoiceLength = 100;

/** Takes commands, presses, forms and typing to the dispatcher: acknowledged first, carried out after. */
export class Interactions {
  readonly #dependencies: ReceiverDependencies;

  constructor(dependencies: ReceiverDependencies) {
    this.#dependencies = dependencies;
  }

  async take(interaction: Interaction): Promise<void> {
    const { id, token, user, channelId, guildId } = interaction;
    if (!isToken(token) || !areSnowflakes(id, user.id, channelId, guildId ?? '0')) return;
    if (interaction.isAutocomplete()) return this.#complete(interaction);
    if (!this.#dependencies.recent.isNew(interaction.id)) return;
    // Others are not the bot's: the live check has buttons and a command of its own.
    if ('customId' in interaction && !parseActionId(interaction.customId)) return;
    if (interaction.isCommand() && interaction.commandName === liveCheckCommand) return;
    const asked = interactionContext(interaction, this.#dependencies);
    const refusal = await this.#dependencies.allowed.refusal(interaction.guildId, asked.userId, asked.locale);
    if (refusal !== undefined) return this.#refuse(asked, refusal);
    if (interaction.isChatInputCommand()) return this.#command(interaction);
    if (interaction.isButton()) return this.#press(interaction);
    if (interaction.isModalSubmit() && interaction.isFromMessage()) return this.#press(interaction);
  }

  async #complete(interaction: AutocompleteInteraction): Promise<void> {
    const { locale } = interactionContext(interaction, this.#dependencies);
    const { name, value } = interaction.options.getFocused(true);
    const suggestions = this.#dependencies.dispatcher.suggest(
      interaction.commandName,
      name,
      String(value),
      locale,
    );
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
    const asked = interactionContext(interaction, this.#dependencies);
    const prepared = await this.#dependencies.dispatcher.prepare({
      eventId: interaction.id,
      command: interaction.commandName,
      options: typedValues(interaction.options.data, this.#reader(interaction, interaction.options.resolved)),
      address: this.#addressFor(asked),
      requester: asked.requester,
      postingLimits: asked.missing,
      acknowledgement: serializeToken(interactionToken({ ...asked, hidden: false })),
    });
    if (prepared.kind === 'refused') return this.#refuse(asked, prepared.text);
    if (prepared.kind === 'accepted') await this.#carryOut(asked, prepared, undefined);
  }

  async #press(
    interaction: ButtonInteraction | (ModalSubmitInteraction & { readonly message: object | null }),
  ): Promise<void> {
    const asked = interactionContext(interaction, this.#dependencies);
    const source = interaction.message;
    if (!source || !areSnowflakes(source.id)) return;
    const hiddenSource = source.flags.has(MessageFlags.Ephemeral);
    const prepared = await this.#dependencies.dispatcher.preparePress({
      eventId: interaction.id,
      actionId: interaction.customId,
      address: this.#addressFor(asked),
      message: this.#messageAddress(asked, source.id, hiddenSource),
      requester: asked.requester,
      postingLimits: asked.missing,
      files: shownFiles(source, asked.botIsMember),
      ...(!hiddenSource && {
        acknowledgement: serializeToken(interactionToken({ ...asked, hidden: false })),
      }),
      ...(interaction.isModalSubmit() && {
        values: enteredValues(interaction, this.#reader(interaction, interaction.fields.resolved)),
      }),
    });
    if (prepared.kind === 'refused') return this.#refuse(asked, prepared.text);
    if (prepared.kind === 'form') {
      const command = this.#dependencies.dispatcher.commands.find(
        ({ name }) => name === prepared.form.command,
      );
      const { guild } = interaction;
      const isRole = (id: string) => guild?.roles.cache.has(id) === true;
      const data = modalFor(interaction.customId, prepared.form, command, {
        locale: asked.locale,
        isRole,
      });
      return this.#acknowledge(asked, { type: InteractionResponseType.Modal, data });
    }
    await this.#carryOut(asked, prepared, hiddenSource);
  }

  async #refuse(context: InteractionContext, text: string): Promise<void> {
    const [first] = splitText({ text });
    const { content, allowed_mentions } = messageBody(first);
    await this.#acknowledge(context, {
      type: InteractionResponseType.ChannelMessageWithSource,
      data: { content, allowed_mentions, flags: MessageFlags.SuppressEmbeds | MessageFlags.Ephemeral },
    });
  }

  /**
   * Acknowledges and runs. A press that only changes what is there, or whose message only one person sees, is
   * acknowledged as a change of that message: it can be edited then, and the answer stands on its own.
   */
  async #carryOut(
    context: InteractionContext,
    prepared: PreparedRequest & { kind: 'accepted' },
    hiddenSource: boolean | undefined,
  ): Promise<void> {
    if (!(await prepared.record())) return;
    const onSource = prepared.seenBy === 'nobody' || hiddenSource === true;
    const hidden = prepared.seenBy === 'requester' || prepared.seenBy === 'nobody';
    const response: APIInteractionResponse = onSource
      ? { type: InteractionResponseType.DeferredMessageUpdate }
      : {
          type: InteractionResponseType.DeferredChannelMessageWithSource,
          ...(hidden && { data: { flags: MessageFlags.Ephemeral } }),
        };
    const inTime = await this.#inTime(context, response, hidden).catch(async (error: unknown) => {
      await prepared.abandon();
      throw error;
    });
    const target = new InteractionReplyTarget(this.#dependencies.routes, {
      ...context,
      hidden,
      deferred: inTime && !onSource,
    });
    const how = hiddenSource === undefined ? 'typed' : 'pressed';
    await prepared.run(
      this.#dependencies.reply(target, context.locale, this.#headersFor(context, prepared, how)),
    );
    if (target.pending) await target.discard();
  }

  /** Who asked what, above an answer that all see. */
  #headersFor(
    { requester }: InteractionContext,
    { call, seenBy }: PreparedRequest & { kind: 'accepted' },
    how: 'typed' | 'pressed',
  ): AnswerHeaders {
    if (seenBy !== 'channel' || !call) return {};
    const command = this.#dependencies.dispatcher.commands.find(({ name }) => name === call.command);
    return {
      header: headerOf(requester.name, call, command, how),
      detachedHeader: headerOf(requester.name, call, command, 'pressed'),
    };
  }

  /** False where it is too late for the interaction, but the bot can answer with a message of its own. */
  async #inTime(
    context: InteractionContext,
    response: APIInteractionResponse,
    hidden: boolean,
  ): Promise<boolean> {
    try {
      await this.#acknowledge(context, response);
      return true;
    } catch (error) {
      if (!isExpired(error) || hidden || !context.botIsMember) throw error;
      return false;
    }
  }

  #acknowledge(
    { id, token }: Pick<InteractionContext, 'id' | 'token'>,
    response: APIInteractionResponse,
  ): Promise<void> {
    return this.#dependencies.routes.api.acknowledge(id, token, response);
  }

  /** Reads the words a person writes for a command: with names in the place of ids, which nobody else understands. */
  #reader(interaction: Interaction, resolved: Parameters<typeof namesInInteraction>[1]): ReadText {
    const written = new Set(this.#dependencies.dispatcher.commands.map(({ textOption }) => textOption));
    const names = namesInInteraction(interaction, resolved);
    const locale = localeOf(interaction.locale);
    return (name, text) => (written.has(name) ? namedText(text, names, locale) : text);
  }

  /** Where only the token reaches, the address carries it. */
  #addressFor(context: InteractionContext): Address {
    if (context.botIsMember) return context.address;
    return {
      ...context.address,
      platformData: serializeToken(interactionToken({ ...context, hidden: false })),
    };
  }

  /**
   * The message under a button. Where the bot is no member, or only one person sees it, it is changed by the token
   * of the press, which surely knows it as `@original` of a press that is acknowledged as a change of it.
   */
  #messageAddress(context: InteractionContext, message: string, hidden: boolean): MessageAddress {
    if (context.botIsMember && !hidden) return { ...context.address, message };
    const platformData = serializeToken(interactionToken({ ...context, hidden }));
    return { ...context.address, message: '@original', platformData };
  }
}
