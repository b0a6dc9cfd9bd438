import { InteractionType } from 'discord-api-types/v10';
import type { Fields } from '../http/fields.ts';
import type { Interaction, InteractionKind } from '../model.ts';
import type { World } from '../world.ts';
import { userBody } from './serialize.ts';

/** Discord's number for each kind of interaction (interactions/receiving-and-responding). */
export const interactionTypes: Record<InteractionKind, InteractionType> = {
  command: InteractionType.ApplicationCommand,
  component: InteractionType.MessageComponent,
  autocomplete: InteractionType.ApplicationCommandAutocomplete,
  modal: InteractionType.ModalSubmit,
};

/** What a message says of the interaction that it answers (resources/message, message interaction metadata). */
export function interactionMetadata(world: World, interaction: Interaction): Fields {
  const { id, kind, userId, owners, sourceMessageId } = interaction;
  const opener = world.interactions.get(interaction.openedBy ?? '');
  return {
    id,
    type: interactionTypes[kind],
    user: userBody(world.user(userId)),
    authorizing_integration_owners: owners,
    ...(kind === 'component' && { interacted_message_id: sourceMessageId }),
    ...(opener && { triggering_interaction_metadata: interactionMetadata(world, opener) }),
  };
}
