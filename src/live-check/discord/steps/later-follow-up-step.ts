import {
  type APIMessage,
  type ButtonInteraction,
  type Interaction,
  InteractionResponseType,
  MessageFlags,
  RESTJSONErrorCodes,
  Routes,
} from 'discord.js';
import { errorCode } from '../../../platforms/discord/api/errors.ts';
import { noHelper, notDoneInTime, refused, type Step, unclear, works } from '../../step.ts';
import { type DiscordContext, ignoreGone, label, postText } from '../context.ts';
import { waitForInteraction } from '../helper-connection.ts';
import { buttonRow } from './message-steps.ts';

const laterPressId = 'live-check:press-later';

/** A follow-up that only one person sees, after a loading message that everyone saw. */
export const laterFollowUpStep: Step<DiscordContext> = {
  name: 'follow-up after the loading message was deleted',
  expects: 'works; reported to fail until 2021 (10008)',
  does: 'uses it to tell only the person about an error; if it’s refused, sends a direct message',
  async run(context) {
    const { session, rest, cleanUp } = context;
    if (!session) return noHelper;
    await postText(context, 'please press this button too', {
      components: [buttonRow(laterPressId, 'Press me too')],
    });
    const request = 'Press “Press me too” in the channel.';
    const press = await waitForInteraction(context, session, request, isLaterPress);
    if (!press) return notDoneInTime;
    const { applicationId, token } = press;
    await rest.post(Routes.interactionCallback(press.id, token), {
      body: { type: InteractionResponseType.DeferredChannelMessageWithSource },
      auth: false,
    });
    await rest.delete(Routes.webhookMessage(applicationId, token, '@original'), { auth: false });
    const body = { content: `${label}: a follow-up`, flags: MessageFlags.Ephemeral };
    try {
      const sent = (await rest.post(Routes.webhook(applicationId, token), {
        body,
        auth: false,
      })) as APIMessage;
      cleanUp.add('a follow-up that only you see', () =>
        rest.delete(Routes.webhookMessage(applicationId, token, sent.id), { auth: false }).catch(ignoreGone),
      );
      return ((sent.flags ?? 0) & MessageFlags.Ephemeral) !== 0 ? works() : unclear('everyone sees it');
    } catch (error) {
      if (errorCode(error) !== RESTJSONErrorCodes.UnknownMessage) throw error;
      return refused('refused: 10008 Unknown Message');
    }
  },
};

function isLaterPress(interaction: Interaction): interaction is ButtonInteraction {
  return interaction.isButton() && interaction.customId === laterPressId;
}
