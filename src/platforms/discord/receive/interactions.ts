import {
  type APIInteractionResponse,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  InteractionResponseType,
  type Message,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
} from 'discord.js';
import {
  draftFormId,
  type Form,
  localeOf,
  type PreparedRequest,
  parseActionId,
  parseDraftFormId,
} from '../../../port/index.ts';
import { isExpired, isRefused } from '../api/errors.ts';
import { interactionToken, serializeToken } from '../api/interaction-token.ts';
import { messageBody, splitText } from '../api/message-body.ts';
import { areSnowflakes, isToken } from '../api/snowflakes.ts';
import { formLimits, modalFor } from '../commands/forms.ts';
import { liveCheckCommand, liveCheckMessageCommand } from '../commands/live-check-command.ts';
import { enteredValues, type ReadText, shownFiles, typedValues } from '../commands/option-values.ts';
import { type AnswerHeaders, headerFor, withoutAnyHeader } from '../post/message-header.ts';
import { InteractionReplyTarget } from '../reply/interaction-reply-target.ts';
import { autocompleteChoices } from './autocomplete.ts';
import {
  type InteractionContext,
  interactionContext,
  postingAddress,
  pressedMessage,
} from './interaction-context.ts';
import type { ReceiverDependencies } from './receiver-dependencies.ts';
import { chosenMessage } from './text/chosen-message.ts';
import { namesInInteraction } from './text/mention-names.ts';
import { readableText } from './text/readable-text.ts';

const liveCheckCommands: readonly string[] = [liveCheckCommand, liveCheckMessageCommand];

type Accepted = PreparedRequest & { readonly kind: 'accepted' };
/** A press of a button, or a form that was opened by one. */
type Press = ButtonInteraction | (ModalSubmitInteraction & { readonly message: object | null });

/** Brings commands, buttons, forms and autocompletion to the dispatcher: acknowledged first, carried out after that. */
export class Interactions {
  readonly #dependencies: ReceiverDependencies;

  constructor(dependencies: ReceiverDependencies) {
    this.#dependencies = dependencies;
  }

  async handle(interaction: Interaction): Promise<void> {
    const { id, token, user, channelId, guildId } = interaction;
    const { allowedServers, dispatcher, recentEvents } = this.#dependencies;
    if (!isToken(token) || !areSnowflakes(id, user.id, channelId, guildId ?? '0')) return;
    if (interaction.isAutocomplete())
      return this.#acknowledge(interaction, {
        type: InteractionResponseType.ApplicationCommandAutocompleteResult,
        data: { choices: autocompleteChoices(interaction, dispatcher) },
      });
    if (!recentEvents.isNew(interaction.id)) return;
    // Not the bot's own: the live check has buttons and a command too.
    if ('customId' in interaction && !parseActionId(interaction.customId)) return;
    if (interaction.isCommand() && liveCheckCommands.includes(interaction.commandName)) return;
    const context = interactionContext(interaction, this.#dependencies);
    const refusal = await allowedServers.refusal(guildId, context.userId, context.locale);
    if (refusal !== undefined) return this.#refuse(context, refusal);
    if (interaction.isChatInputCommand()) return this.#handleCommand(interaction);
    if (interaction.isMessageContextMenuCommand()) return this.#handleMessageCommand(interaction);
    if (interaction.isModalSubmit() && parseDraftFormId(interaction.customId))
      return this.#handleDraft(interaction);
    if (interaction.isButton()) return this.#handlePress(interaction);
    if (interaction.isModalSubmit() && interaction.isFromMessage()) return this.#handlePress(interaction);
  }

  async #handleCommand(interaction: ChatInputCommandInteraction): Promise<void> {
    const context = interactionContext(interaction, this.#dependencies);
    const prepared = await this.#dependencies.dispatcher.prepare({
      eventId: interaction.id,
      command: interaction.commandName,
      options: typedValues(
        interaction.options.data,
        this.#command(interaction.commandName),
        this.#textReader(interaction, interaction.options.resolved),
      ),
      address: postingAddress(context),
      requester: context.requester,
      postingLimits: context.postingLimits,
      acknowledgement: serializeToken(interactionToken({ ...context, hidden: false })),
    });
    if (prepared.kind === 'refused') return this.#refuse(context, prepared.text);
    if (prepared.kind === 'accepted') await this.#run(context, prepared, undefined);
  }

  /** A command in the menu of a message opens its form. */
  async #handleMessageCommand(interaction: MessageContextMenuCommandInteraction): Promise<void> {
    const { dispatcher } = this.#dependencies;
    const context = interactionContext(interaction, this.#dependencies);
    const { commandName, guildId, targetMessage } = interaction;
    const command = dispatcher.commands.find(({ fromMessage }) => fromMessage?.label.en === commandName);
    const { locale, botCanPost } = context;
    const prepared = await dispatcher.prepareFromMessage({
      command: command?.name ?? commandName,
      message: chosenMessage(targetMessage as Message, { guildId, locale, botCanRead: botCanPost }),
      address: postingAddress(context),
      requester: context.requester,
      postingLimits: context.postingLimits,
      maxInput: formLimits.text,
    });
    if (prepared.kind === 'refused') return this.#refuse(context, prepared.text);
    if (prepared.kind !== 'form' || prepared.draft === undefined) return;
    const id = draftFormId(prepared.form.command, prepared.draft);
    await this.#openForm(interaction, id, context, prepared.form);
  }

  /** The form of such a command, sent back: it comes without a message. */
  async #handleDraft(interaction: ModalSubmitInteraction): Promise<void> {
    const form = parseDraftFormId(interaction.customId);
    if (!form) return;
    const context = interactionContext(interaction, this.#dependencies);
    const prepared = await this.#dependencies.dispatcher.prepare({
      ...form,
      eventId: interaction.id,
      options: enteredValues(interaction, this.#textReader(interaction, interaction.fields.resolved)),
      address: postingAddress(context),
      requester: context.requester,
      postingLimits: context.postingLimits,
      acknowledgement: serializeToken(interactionToken({ ...context, hidden: false })),
    });
    if (prepared.kind === 'refused') return this.#refuse(context, prepared.text);
    if (prepared.kind === 'accepted') await this.#run(context, prepared, undefined, 'pressed');
  }

  async #handlePress(interaction: Press): Promise<void> {
    const context = interactionContext(interaction, this.#dependencies);
    const source = interaction.message;
    if (!source || !areSnowflakes(source.id)) return;
    const isSourceHidden = source.flags.has(MessageFlags.Ephemeral);
    const prepared = await this.#dependencies.dispatcher.preparePress({
      eventId: interaction.id,
      actionId: interaction.customId,
      address: postingAddress(context),
      message: pressedMessage(context, source.id, isSourceHidden),
      requester: context.requester,
      postingLimits: context.postingLimits,
      files: shownFiles(source, context.botCanPost && !isSourceHidden),
      text: withoutAnyHeader(source.content),
      ...(!isSourceHidden && {
        acknowledgement: serializeToken(interactionToken({ ...context, hidden: false })),
      }),
      ...(interaction.isModalSubmit() && {
        values: enteredValues(interaction, this.#textReader(interaction, interaction.fields.resolved)),
      }),
    });
    if (prepared.kind === 'refused') return this.#refuse(context, prepared.text);
    if (prepared.kind === 'form')
      return this.#openForm(interaction, interaction.customId, context, prepared.form);
    await this.#run(context, prepared, { isSourceHidden });
  }

  /** Opens a form; with plain text fields if Discord refuses it, which leaves the interaction unanswered. */
  async #openForm(
    { guild }: Pick<Interaction, 'guild'>,
    id: string,
    context: InteractionContext,
    form: Form,
  ): Promise<void> {
    const isRole = (one: string) => guild?.roles.cache.has(one) === true;
    const open = (plain: boolean) => {
      const formContext = { locale: context.locale, isRole, plain };
      const data = modalFor(id, form, this.#command(form.command), formContext);
      return this.#acknowledge(context, { type: InteractionResponseType.Modal, data });
    };
    await open(false).catch((error: unknown) => {
      if (!isRefused(error)) throw error;
      return open(true);
    });
  }

  async #refuse(context: InteractionContext, text: string): Promise<void> {
    const [first] = splitText(this.#dependencies.mentions.linked({ text }, context.address));
    const { content, allowed_mentions } = messageBody(first);
    await this.#acknowledge(context, {
      type: InteractionResponseType.ChannelMessageWithSource,
      data: { content, allowed_mentions, flags: MessageFlags.SuppressEmbeds | MessageFlags.Ephemeral },
    });
  }

  /**
   * Acknowledges and runs. A press that only edits its message, or whose message only one person sees, is acknowledged
   * as an update of that message: the message can then be edited, and the answer is a message of its own.
   */
  async #run(
    context: InteractionContext,
    prepared: Accepted,
    press: { readonly isSourceHidden: boolean } | undefined,
    how: 'typed' | 'pressed' = press ? 'pressed' : 'typed',
  ): Promise<void> {
    if (!(await prepared.record())) return;
    const isUpdate = prepared.seenBy === 'nobody' || press?.isSourceHidden === true;
    const hidden = prepared.seenBy === 'requester' || prepared.seenBy === 'nobody';
    const response: APIInteractionResponse = isUpdate
      ? { type: InteractionResponseType.DeferredMessageUpdate }
      : {
          type: InteractionResponseType.DeferredChannelMessageWithSource,
          ...(hidden && { data: { flags: MessageFlags.Ephemeral } }),
        };
    const isInTime = await this.#acknowledgeInTime(context, response, hidden).catch(
      async (error: unknown) => {
        await prepared.abandon();
        throw error;
      },
    );
    const target = new InteractionReplyTarget(this.#dependencies, {
      ...context,
      hidden,
      deferred: isInTime && !isUpdate,
    });
    const headers = this.#headersFor(context, prepared, how);
    await prepared.run(this.#dependencies.openReply(target, context.locale, headers));
    if (target.pending) await target.discard();
  }

  /** The line above an answer that everyone sees: who asked, and what. */
  #headersFor(
    { requester, locale }: InteractionContext,
    { call, seenBy }: Accepted,
    how: 'typed' | 'pressed',
  ): AnswerHeaders {
    if (seenBy !== 'channel' || !call) return {};
    const command = this.#command(call.command);
    return {
      header: headerFor(requester.name, call, command, how, locale),
      detachedHeader: headerFor(requester.name, call, command, 'pressed', locale),
    };
  }

  /** False if it's too late to acknowledge, but the bot can answer with a message of its own. */
  async #acknowledgeInTime(
    context: InteractionContext,
    response: APIInteractionResponse,
    hidden: boolean,
  ): Promise<boolean> {
    try {
      await this.#acknowledge(context, response);
      return true;
    } catch (error) {
      if (!isExpired(error) || hidden || !context.botCanPost) throw error;
      return false;
    }
  }

  #acknowledge(
    { id, token }: Pick<InteractionContext, 'id' | 'token'>,
    response: APIInteractionResponse,
  ): Promise<void> {
    return this.#dependencies.api.acknowledge(id, token, response);
  }

  #command(name: string) {
    return this.#dependencies.dispatcher.commands.find((command) => command.name === name);
  }

  /** Reads the free text of a command with names instead of ids, which only Discord understands. */
  #textReader(interaction: Interaction, resolved: Parameters<typeof namesInInteraction>[1]): ReadText {
    const { commands } = this.#dependencies.dispatcher;
    const freeText = new Set(commands.map(({ textOption }) => textOption));
    const names = namesInInteraction(interaction, resolved);
    const locale = localeOf(interaction.locale);
    return (name, text) => (freeText.has(name) ? readableText(text, names, locale) : text);
  }
}
