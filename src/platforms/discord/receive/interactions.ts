import { DiscordSnowflake } from '@sapphire/snowflake';
import {
  type APIChatInputApplicationCommandInteraction,
  type APIInteractionResponse,
  type APIMessageApplicationCommandInteraction,
  type APIModalSubmitInteraction,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
} from 'discord-api-types/v10';
import { GivenUpError, inResponseTime, type StartTurn, type Waiting } from '../../../engine/index.ts';
import { secondsBetween } from '../../../lib/telemetry.ts';
import { holdsId } from '../../../lib/text.ts';
import {
  type AcceptedRequest,
  draftFormId,
  type Form,
  formPress,
  localeOf,
  parseDraftFormId,
  type PressRequest,
  refusalOf,
  settlesPress,
} from '../../../port/index.ts';
import { words } from '../../../words/index.ts';
import { isThreadClosed } from '../api/errors.ts';
import {
  areSnowflakes,
  channelIdOf,
  isToken,
  messageBody,
  pressAcknowledgement,
  splitText,
  tokenLifetime,
  withLists,
} from '../api/messages.ts';
import {
  autocompleteChoices,
  enteredValues,
  type ReadText,
  roleReader,
  typedValues,
} from '../commands/command-definition.ts';
import { chosenIn, formLimits, modalFor } from '../commands/forms.ts';
import type { RawInteraction } from '../connection/connections.ts';
import { shownFiles } from '../media/attached-files.ts';
import { type AnswerHeaders, headerFor, withoutAnyHeader } from '../post/message-header.ts';
import { InteractionReplyTarget } from '../reply/interaction-reply-target.ts';
import { DiscordReply } from '../reply/reply.ts';
import { discordWords, whyNotBegun } from '../words.ts';
import {
  type Begun,
  type InteractionContext,
  interactionContext,
  isChosenInMenu,
  isInLockedThread,
  isOwn,
  isPress,
  isTyped,
  openedBy,
  openedFormId,
  ownToken,
  postingAddress,
  type Press,
  pressedMessage,
  type ReceiverDependencies,
} from './event-context.ts';
import { tellDirectly } from './is-for-bot.ts';
import { chosenMessage } from './quoted-messages.ts';
import { namesInInteraction, readableText } from './readable-text.ts';

/** An interaction that's handled. */
interface ReceivedInteraction extends InteractionContext {
  /** Until it's on record or refused. */
  readonly waiting: Waiting;
  /** Another process may have begun to handle it. */
  readonly isLeft: boolean;
  /** It's a form, which stays open where Discord took no response: its person may send it again. */
  readonly isForm: boolean;
}

/** Brings commands, buttons, forms and autocompletion to the dispatcher: acknowledged first, carried out after that. */
export class Interactions {
  readonly #dependencies: ReceiverDependencies;

  constructor(dependencies: ReceiverDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Throws at once where an interaction can't be read. `onRecorded`: it's on record, or nothing comes of it. What it
   * begins may take long after that. `isLeft`: another process may have begun to handle it.
   */
  handle(interaction: RawInteraction, onRecorded: () => void, isLeft: boolean): Promise<void> {
    const { id, token, guild_id: guildId = '0' } = interaction;
    const { dispatcher } = this.#dependencies;
    const context = interactionContext(interaction, this.#dependencies);
    const { channel, thread = channel } = context.address;
    if (!isToken(token) || !areSnowflakes(id, context.userId, thread, guildId)) return ended;
    if (interaction.type === InteractionType.ApplicationCommandAutocomplete) {
      const type = InteractionResponseType.ApplicationCommandAutocompleteResult;
      const choices = autocompleteChoices(interaction, context.address, dispatcher);
      return choices.then(async (found) => {
        await this.#respond(interaction, { type, data: { choices: found } });
      });
    }
    if (!isOwn(interaction)) return ended;
    return this.#handle(interaction, context, onRecorded, isLeft);
  }

  async #handle(
    interaction: Begun,
    context: InteractionContext,
    onRecorded: () => void,
    isLeft: boolean,
  ): Promise<void> {
    const { clock, knownLocales, log } = this.#dependencies;
    knownLocales
      .note(context.userId, context.locale)
      .catch((error: unknown) => log.warn({ error }, 'the language of a person could not be kept'));
    const limit = {
      clock,
      madeAt: DiscordSnowflake.timestampFrom(interaction.id),
      tell: async (error?: unknown) => {
        await this.#respond(context, this.#sentence(context, whyNotBegun(error, context.locale)));
      },
      onOver: onRecorded,
    };
    const taken = inResponseTime(limit, (waiting) =>
      this.#take(interaction, {
        ...{ ...context, waiting, isLeft },
        isForm: interaction.type === InteractionType.ModalSubmit,
      }),
    );
    await taken.catch((error: unknown) => {
      if (!isInLockedThread(interaction.channel) || !isThreadClosed(error)) throw error;
      return this.#explainLocked(context);
    });
  }

  /** A locked thread may take no response at all (50083; discord-api-docs#5517, #7707), and who waits for one isn't told. */
  #explainLocked({ id, userId, address, locale }: InteractionContext): Promise<void> {
    const about = { event: id, person: userId, channel: channelIdOf(address) };
    return tellDirectly(this.#dependencies, about, discordWords(locale).threadLocked);
  }

  async #take(interaction: Begun, context: ReceivedInteraction): Promise<void> {
    const { allowedServers, dispatcher, leftEvents } = this.#dependencies;
    const { userId, locale, isLeft } = context;
    const { guild_id: guildId = null } = interaction;
    using turn = isTyped(interaction) ? dispatcher.takeTurn(userId, postingAddress(context)) : undefined;
    if (isLeft && (await leftEvents.isInteractionOver(interaction))) return;
    const refusal = await allowedServers?.refusal(guildId, userId, locale);
    if (refusal !== undefined) return await this.#refuse(context, refusal);
    if (isTyped(interaction)) return await this.#handleCommand(interaction, context, turn);
    if (isChosenInMenu(interaction)) return await this.#handleMessageCommand(interaction, context);
    if (interaction.type === InteractionType.ModalSubmit && parseDraftFormId(interaction.data.custom_id))
      return await this.#handleDraft(interaction, context);
    if (isPress(interaction)) return await this.#handlePress(interaction, context);
  }

  async #handleCommand(
    interaction: APIChatInputApplicationCommandInteraction,
    context: ReceivedInteraction,
    turn: StartTurn | undefined,
  ): Promise<void> {
    const { name, options = [], resolved } = interaction.data;
    const request = {
      eventId: interaction.id,
      command: name,
      options: typedValues(
        options,
        resolved?.attachments ?? {},
        this.#command(name),
        this.#textReader(interaction, resolved),
      ),
      ...givenIn(context),
      acknowledgement: ownToken(context),
      offered: true,
    } as const;
    await using prepared = await this.#dependencies.dispatcher.prepare(request, turn);
    if (prepared.kind === 'refused') return this.#refuse(context, prepared.text);
    if (prepared.kind === 'accepted') await this.#run(context, prepared, undefined);
  }

  /** A command in the menu of a message opens its form. */
  async #handleMessageCommand(
    interaction: APIMessageApplicationCommandInteraction,
    context: ReceivedInteraction,
  ): Promise<void> {
    const { dispatcher, identity } = this.#dependencies;
    const { guild_id: serverId, data } = interaction;
    const { name, resolved, target_id: target } = data;
    const chosen = Object.hasOwn(resolved.messages, target) ? resolved.messages[target] : undefined;
    const message = chosen && withLists(chosen);
    if (!message) throw new TypeError('a command on no message');
    const command = dispatcher.commands.find(({ fromMessage }) => fromMessage?.label.en === name);
    const { locale, botCanPost: botCanRead } = context;
    const names = namesInInteraction(interaction, {}, this.#dependencies);
    const prepared = await dispatcher.prepareFromMessage({
      command: command?.name ?? name,
      message: chosenMessage(message, { serverId, identity, names, locale, botCanRead }),
      ...givenIn(context),
      maxInput: formLimits.text,
    });
    if (prepared.kind === 'refused') return this.#refuse(context, prepared.text);
    if (prepared.kind !== 'form' || prepared.draft === undefined) return;
    const id = draftFormId(prepared.form.command, prepared.draft);
    await this.#openForm(interaction, id, context, prepared.form);
  }

  /** The form of such a command, sent back: it comes without a message. */
  async #handleDraft(interaction: APIModalSubmitInteraction, context: ReceivedInteraction): Promise<void> {
    const form = parseDraftFormId(interaction.data.custom_id);
    if (!form) return;
    await using prepared = await this.#dependencies.dispatcher.prepare({
      ...form,
      eventId: interaction.id,
      press: formPress(interaction.data.custom_id),
      options: enteredValues(interaction, this.#textReader(interaction, interaction.data.resolved)),
      ...givenIn(context),
      acknowledgement: ownToken(context),
    });
    if (prepared.kind === 'refused') return this.#refuse(context, prepared.text);
    if (prepared.kind === 'accepted') await this.#run(context, prepared, undefined, 'pressed');
  }

  async #handlePress(interaction: Press, context: ReceivedInteraction): Promise<void> {
    const source = interaction.message && withLists(interaction.message);
    if (!source || !areSnowflakes(source.id)) return;
    const isSourceHidden = ((source.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
    const settledBy = isSourceHidden ? (context.botCanPost ? 'requester' : 'anyone') : undefined;
    const { custom_id: id } = interaction.data;
    const actionId = openedBy(interaction);
    await using prepared = await this.#dependencies.dispatcher.preparePress({
      eventId: interaction.id,
      actionId,
      ...(actionId !== id && { press: formPress(id) }),
      ...givenIn(context),
      message: pressedMessage(context, source.id, isSourceHidden),
      // A form's message may have other buttons by the time it's sent.
      ...(interaction.type === InteractionType.MessageComponent &&
        !holdsId(source.components, 'custom_id', id) && { isMadeUp: true }),
      // From the event: a press's token may not reach an older message (uncertain).
      files: shownFiles(source, context.botCanPost && !isSourceHidden),
      text: withoutAnyHeader(source.content),
      acknowledgement: settledBy ? pressAcknowledgement({ ...context, hidden: false }) : ownToken(context),
      ...(settledBy && { settledBy }),
      ...(interaction.type === InteractionType.ModalSubmit && {
        values: enteredValues(interaction, this.#textReader(interaction, interaction.data.resolved)),
      }),
      maxInput: formLimits.text,
    });
    if (prepared.kind === 'refused') return this.#refuse(context, prepared.text);
    if (prepared.kind === 'form') {
      const formId = openedFormId(prepared.form.sentAs ?? actionId, interaction);
      return this.#openForm(interaction, formId, context, prepared.form);
    }
    await this.#run(context, prepared, settledBy ? { settledBy } : {});
  }

  /** Opens a form; with plain text fields if Discord refuses it, which leaves the interaction unanswered. */
  async #openForm(
    { guild_id: serverId = '' }: Begun,
    id: string,
    context: ReceivedInteraction,
    form: Form,
  ): Promise<void> {
    const command = this.#command(form.command);
    const roles = await this.#dependencies.rolesAmong(serverId, chosenIn(form, command));
    const open = async (plain: boolean): Promise<void> => {
      const formContext = { locale: context.locale, isRole: (one: string) => roles.has(one), plain };
      const data = modalFor(id, form, command, formContext);
      await this.#acknowledge(context, { type: InteractionResponseType.Modal, data });
    };
    await open(false).catch((error: unknown) => {
      if (refusalOf(error) !== 'refused') throw error;
      return open(true);
    });
  }

  async #refuse(context: ReceivedInteraction, text: string): Promise<void> {
    await this.#acknowledge(context, this.#sentence(context, text));
  }

  /** Only for the person. */
  #sentence({ address }: InteractionContext, text: string): APIInteractionResponse {
    const [first] = splitText(this.#dependencies.registered.linked({ text }, address));
    const { content, allowed_mentions } = messageBody(first);
    return {
      type: InteractionResponseType.ChannelMessageWithSource,
      data: { content, allowed_mentions, flags: MessageFlags.SuppressEmbeds | MessageFlags.Ephemeral },
    };
  }

  /**
   * Acknowledges and runs. A press that only edits its message is acknowledged as an update of that message; so is one of a
   * message that only one person sees, where its answer is a message of the bot's own. What comes by the token alone takes
   * the place of a loading message: there it's found where this process dies.
   */
  async #run(
    context: ReceivedInteraction,
    prepared: AcceptedRequest,
    press: Pick<PressRequest, 'settledBy'> | undefined,
    how: 'typed' | 'pressed' = press ? 'pressed' : 'typed',
  ): Promise<void> {
    const { id, locale, waiting, isLeft, isForm } = context;
    if (waiting.isGivenUp) return;
    const isNew = await prepared.record();
    if (!isNew) waiting.answered();
    if (!isNew && isForm && !(await this.#dependencies.dispatcher.isRecorded(id)))
      return this.#refuse(context, words(locale).alreadyUnderWay);
    // The process that recorded it may have died before it acknowledged it: its answer then goes there.
    if (!isNew && !isLeft) return;
    const isUpdate = prepared.seenBy === 'nobody' || (press !== undefined && !hasLoading(press, prepared));
    const hidden = prepared.seenBy === 'requester' || prepared.seenBy === 'nobody';
    const response: APIInteractionResponse = isUpdate
      ? { type: InteractionResponseType.DeferredMessageUpdate }
      : {
          type: InteractionResponseType.DeferredChannelMessageWithSource,
          ...(hidden && { data: { flags: MessageFlags.Ephemeral } }),
        };
    const { isLate, loading } = await this.#begin(context, response, hidden);
    if (!isNew) return;
    if (prepared.isUnrecorded && !(await this.#isFirst(context))) return;
    const target = new InteractionReplyTarget(this.#dependencies, {
      ...context,
      hidden,
      deferred: !isLate && !isUpdate,
      ...(loading !== undefined && { loading }),
    });
    // Nothing shows the command above a message of the bot's own.
    const headers = this.#headersFor(context, prepared, isLate ? 'pressed' : how);
    const reply = new DiscordReply(this.#dependencies, { target, locale: context.locale, ...headers });
    await prepared.run(reply);
    if (target.pending) await target.discard();
  }

  /** Whether what isn't on record is handled for the first time: it may come again, to another process too. */
  #isFirst({ id }: ReceivedInteraction): Promise<boolean> {
    // Without the database what it does tells its person.
    return this.#dependencies.firstTime(`interaction ${id}`, tokenLifetime).catch(() => true);
  }

  /** The line above an answer that everyone sees: who asked, and what. */
  #headersFor(
    { requester, locale }: InteractionContext,
    { call, seenBy }: AcceptedRequest,
    how: 'typed' | 'pressed',
  ): AnswerHeaders {
    const shown = how === 'typed' ? ({ shownAbove: 'command' } as const) : {};
    if (seenBy !== 'channel' || !call) return shown;
    const command = this.#command(call.command);
    return {
      header: headerFor(requester.name, call, command, how, locale),
      detachedHeader: headerFor(requester.name, call, command, 'pressed', locale),
      ...shown,
    };
  }

  /**
   * Acknowledges what's to be answered. `isLate`: Discord takes no response any more, but the bot can answer with a message of
   * its own. `loading`: the id of the loading message, where everybody sees it and it's known.
   */
  async #begin(
    context: ReceivedInteraction,
    response: APIInteractionResponse,
    hidden: boolean,
  ): Promise<{ readonly isLate: boolean; readonly loading?: string | undefined }> {
    try {
      return { isLate: false, loading: await this.#acknowledge(context, response) };
    } catch (error) {
      if (refusalOf(error) !== 'expired' || hidden || !context.botCanPost) throw error;
      return { isLate: true };
    }
  }

  /** @throws {GivenUpError} if the person has been told that it took too long. */
  async #acknowledge(
    context: ReceivedInteraction,
    response: APIInteractionResponse,
  ): Promise<string | undefined> {
    if (context.waiting.isGivenUp) throw new GivenUpError();
    context.waiting.answered();
    return this.#respond(context, response);
  }

  async #respond(
    { id, token }: Pick<InteractionContext, 'id' | 'token'>,
    response: APIInteractionResponse,
  ): Promise<string | undefined> {
    const { acknowledge, clock, meter } = this.#dependencies;
    const loading = await acknowledge(id, token, response);
    if (response.type === InteractionResponseType.ApplicationCommandAutocompleteResult) return undefined;
    const seconds = secondsBetween(DiscordSnowflake.timestampFrom(id), clock.now());
    meter?.observe('troupe_acknowledgement_seconds', { platform: 'discord' }, seconds);
    return loading;
  }

  #command(name: string) {
    return this.#dependencies.dispatcher.commands.find((command) => command.name === name);
  }

  /** Reads the free text of a command with names instead of ids, which only Discord understands. */
  #textReader(interaction: Begun, resolved: Parameters<typeof namesInInteraction>[1]): ReadText {
    const { dispatcher, servers } = this.#dependencies;
    const { commands } = dispatcher;
    const { roles = [] } = servers.server(interaction.guild_id ?? '') ?? {};
    const freeText = new Set(commands.map(({ textOption }) => textOption));
    const names = namesInInteraction(interaction, resolved, this.#dependencies);
    const locale = localeOf(interaction.locale);
    const readRoles = roleReader(commands, roles);
    return (name, text) => (freeText.has(name) ? readableText(text, names, locale) : readRoles(name, text));
  }
}

/** Who gives a request, where, and what may be posted there. */
function givenIn(context: InteractionContext) {
  const { requester, postingLimits } = context;
  return { address: postingAddress(context), requester, postingLimits };
}

const ended = Promise.resolve();

/** Whether what comes of a press takes the place of a loading message. */
function hasLoading(press: Pick<PressRequest, 'settledBy'>, { call, seenBy }: AcceptedRequest): boolean {
  if (press.settledBy === undefined) return true;
  return call !== undefined && seenBy !== 'nobody' && settlesPress(press, seenBy);
}
