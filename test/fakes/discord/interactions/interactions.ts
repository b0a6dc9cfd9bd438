import {
  ApplicationCommandOptionType,
  InteractionResponseType,
  MessageFlags,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import { type Fields, integerAt, isFields, objectAt, objectsAt } from '../http/fields.ts';
import type { UploadedFile } from '../http/form-data.ts';
import { invalidField, refusals } from '../http/refusal.ts';
import type { Messages } from '../messages/messages.ts';
import type { Threads } from '../messages/threads.ts';
import type { Acknowledgement, Interaction, Message } from '../model.ts';
import { checkChoices } from '../rules/command-rules.ts';
import { interactionMessageFlags, readFlags } from '../rules/message-rules.ts';
import { checkModal } from '../rules/modal-rules.ts';
import { permissionsIn } from '../rules/permissions.ts';
import type { World } from '../world.ts';

/** How long the real Discord waits for the first response, in milliseconds. */
export const acknowledgeWithin = 3_000;
const tokenLifetime = 15 * 60_000;
const userInstallFollowUps = 5;

const acknowledgements: Readonly<Record<number, Acknowledgement>> = {
  [InteractionResponseType.ChannelMessageWithSource]: 'message',
  [InteractionResponseType.DeferredChannelMessageWithSource]: 'deferred',
  [InteractionResponseType.DeferredMessageUpdate]: 'deferred-update',
  [InteractionResponseType.UpdateMessage]: 'update',
  [InteractionResponseType.ApplicationCommandAutocompleteResult]: 'choices',
  [InteractionResponseType.Modal]: 'modal',
};

/** Acknowledgements, the original reply and follow-ups (interactions/receiving-and-responding). */
export class Interactions {
  readonly #world: World;
  readonly #messages: Messages;
  readonly #threads: Threads;
  /** How long Discord waits for the first response, in milliseconds. */
  readonly patience: number;

  constructor(world: World, messages: Messages, threads: Threads, patience = acknowledgeWithin) {
    this.#world = world;
    this.#messages = messages;
    this.#threads = threads;
    this.patience = patience;
  }

  /** The first response, in time and once. */
  acknowledge(id: string, token: string, body: Fields, uploads: readonly UploadedFile[]): Interaction {
    const interaction = this.#world.interactionOf(token);
    if (interaction?.id !== id) throw refusals.unknownInteraction();
    if (interaction.byHttp && this.#world.readings.callbackByHttp === 'refused')
      throw refusals.unknownInteraction();
    return this.#acknowledge(interaction, body, uploads);
  }

  /** The first response, in the response to the request that brought the interaction. */
  answerInResponse(interaction: Interaction, body: Fields): void {
    this.#acknowledge(interaction, body, []);
    if (this.#world.readings.tokenRightAfterResponse === 'refused') interaction.tokenUnknownFor = 2;
  }

  #acknowledge(interaction: Interaction, body: Fields, uploads: readonly UploadedFile[]): Interaction {
    if (interaction.acknowledgement) throw refusals.alreadyAcknowledged();
    if (this.#world.clock.now() - interaction.createdAt > this.patience) throw refusals.unknownInteraction();
    const acknowledgement = acknowledgements[integerAt(body, 'type') ?? 0];
    if (!acknowledgement) throw invalidField('type', 'BASE_TYPE_CHOICES', 'The callback type is unknown.');
    requireFitting(interaction, acknowledgement);
    this.#carryOut(interaction, acknowledgement, body, uploads);
    interaction.acknowledgement = acknowledgement;
    interaction.acknowledgedAt = this.#world.clock.now();
    this.#world.changed();
    return interaction;
  }

  #carryOut(
    interaction: Interaction,
    kind: Acknowledgement,
    body: Fields,
    uploads: readonly UploadedFile[],
  ): void {
    const data = isFields(body.data) ? body.data : {};
    if (kind === 'message') interaction.responseMessageId = this.#post(interaction, data, uploads).id;
    if (kind === 'deferred') interaction.responseMessageId = this.#loading(interaction, data).id;
    if (kind === 'deferred-update' || kind === 'update')
      interaction.responseMessageId = interaction.sourceMessageId;
    if (kind === 'update')
      this.#messages.edit(
        this.#world.message(interaction.sourceMessageId ?? ''),
        data,
        uploads,
        this.#uploadLimitOf(interaction),
      );
    if (kind === 'choices') {
      const choices = objectsAt(objectAt(body, 'data'), 'choices', 'data.choices');
      checkChoices(choices, ApplicationCommandOptionType.String, 'data.choices');
      interaction.choices = choices;
    }
    if (kind === 'modal') {
      checkModal(objectAt(body, 'data'), this.#world);
      interaction.modal = objectAt(body, 'data');
    }
  }

  /** Posts a follow-up; right after a deferral it replaces the loading message instead. */
  followUp(token: string, body: Fields, uploads: readonly UploadedFile[]): Message {
    const interaction = this.#usable(token);
    const original = this.#world.messages.get(interaction.responseMessageId ?? '');
    const { followUpNonce, followUpAfterRemoval } = this.#world.readings;
    if (original && original.flags & MessageFlags.Loading) {
      if (!original.deleted) return this.#edit(interaction, original, body, uploads);
      if (followUpAfterRemoval === 'refused') throw refusals.unknownMessage();
    }
    if (interaction.userInstallOnly && interaction.followUpIds.length >= userInstallFollowUps)
      throw refusals.tooManyFollowUps();
    const { nonce: _, ...anonymous } = body;
    const message = this.#post(interaction, followUpNonce === 'works' ? body : anonymous, uploads);
    interaction.followUpIds.push(message.id);
    return message;
  }

  /** A message of this token: `@original`, or a follow-up's id. */
  message(token: string, id: string): Message {
    const interaction = this.#usable(token);
    const { responseMessageId, sourceMessageId, followUpIds } = interaction;
    const wanted = id === '@original' ? responseMessageId : id;
    // The message of a pressed button is known as `@original`; whether by its id too is uncertain.
    const known =
      id === '@original' ||
      (id === sourceMessageId
        ? this.#world.readings.tokenReachesOlderMessage === 'works'
        : id === responseMessageId || followUpIds.includes(id));
    if (wanted === undefined || !known) throw refusals.unknownMessage();
    return this.#world.message(wanted);
  }

  edit(token: string, id: string, body: Fields, uploads: readonly UploadedFile[]): Message {
    return this.#edit(this.#usable(token), this.message(token, id), body, uploads);
  }

  delete(token: string, id: string): void {
    this.#messages.delete(this.message(token, id));
  }

  #edit(interaction: Interaction, message: Message, body: Fields, uploads: readonly UploadedFile[]): Message {
    this.#requireOpen(interaction);
    this.#threads.requireUnarchived(this.#world.channel(interaction.channelId));
    this.#requireAttach(interaction, uploads);
    return this.#messages.edit(message, body, uploads, this.#uploadLimitOf(interaction));
  }

  #post(interaction: Interaction, body: Fields, uploads: readonly UploadedFile[]): Message {
    this.#requireOpen(interaction);
    this.#requireAttach(interaction, uploads);
    this.#threads.unarchive(this.#world.channel(interaction.channelId));
    const flags = readFlags(body, interactionMessageFlags);
    const hidden = (flags & MessageFlags.Ephemeral) !== 0 || mustHide(this.#world, interaction);
    return this.#messages.create({
      channel: this.#world.channel(interaction.channelId),
      body,
      uploads,
      settableFlags: interactionMessageFlags,
      extraFlags: hidden ? MessageFlags.Ephemeral : 0,
      interaction,
      ...(hidden && { onlyFor: interaction.userId }),
      uploadLimit: this.#uploadLimitOf(interaction),
    });
  }

  #loading(interaction: Interaction, data: Fields): Message {
    this.#requireOpen(interaction);
    this.#threads.unarchive(this.#world.channel(interaction.channelId));
    const flags = readFlags(data, MessageFlags.Ephemeral);
    const hidden = flags !== 0 || mustHide(this.#world, interaction);
    return this.#messages.keepUnchecked(
      {
        channelId: interaction.channelId,
        authorId: this.#world.bot.id,
        interactionId: interaction.id,
        ...(hidden && { onlyFor: interaction.userId }),
      },
      { flags: MessageFlags.Loading | (hidden ? MessageFlags.Ephemeral : 0) },
    );
  }

  #usable(token: string): Interaction {
    const interaction = this.#world.interactionOf(token);
    if (!interaction) throw refusals.unknownWebhook();
    if (this.#world.clock.now() - interaction.createdAt > tokenLifetime) throw refusals.invalidWebhookToken();
    if (!interaction.acknowledgement) throw refusals.unknownWebhook();
    if (interaction.tokenUnknownFor > 0) {
      interaction.tokenUnknownFor -= 1;
      throw refusals.unknownWebhook();
    }
    return interaction;
  }

  #uploadLimitOf({ uploadLimit }: Interaction): number {
    const { readings, defaultUploadLimit } = this.#world;
    return readings.statedUploadLimit === 'works' ? uploadLimit : Math.min(uploadLimit, defaultUploadLimit);
  }

  /** A locked thread; that it refuses an interaction's token, too, was reported, of edits as of responses. */
  #requireOpen({ channelId, appPermissions, userInstallOnly }: Interaction): void {
    const isLocked = this.#world.channel(channelId).thread?.locked === true;
    const manages = (appPermissions & PermissionFlagsBits.ManageThreads) !== 0n;
    if (isLocked && !manages && this.#world.readings.tokenInLockedThread === 'refused')
      throw userInstallOnly ? refusals.missingAccess() : refusals.archivedThread();
  }

  #requireAttach(interaction: Interaction, uploads: readonly UploadedFile[]): void {
    if (this.#world.readings.interactionFiles === 'works') return;
    if (uploads.length > 0 && (interaction.appPermissions & PermissionFlagsBits.AttachFiles) === 0n)
      throw refusals.missingPermissions();
  }
}

/**
 * An app that only its user installed answers only them, if they lack Use External Apps (topics/permissions;
 * discord-api-docs#6913, #6961).
 */
function mustHide(world: World, { userInstallOnly, guildId, channelId, userId }: Interaction): boolean {
  if (!userInstallOnly || guildId === undefined) return false;
  return (
    (permissionsIn(world, world.channel(channelId), userId) & PermissionFlagsBits.UseExternalApps) === 0n
  );
}

function requireFitting(interaction: Interaction, kind: Acknowledgement): void {
  const { kind: asked, sourceMessageId } = interaction;
  const fits =
    asked === 'autocomplete'
      ? kind === 'choices'
      : kind === 'choices'
        ? false
        : kind === 'modal'
          ? asked !== 'modal'
          : kind === 'update' || kind === 'deferred-update'
            ? sourceMessageId !== undefined
            : true;
  if (!fits)
    throw invalidField(
      'type',
      'INTERACTION_CALLBACK_TYPE',
      `A ${asked} interaction takes no ${kind} callback.`,
    );
}
