import {
  ComponentType,
  type Interaction,
  InteractionResponseType,
  type ModalSubmitInteraction,
  RESTJSONErrorCodes,
  Routes,
  TextInputStyle,
} from 'discord.js';
import { errorCode } from '../../../platforms/discord/api/errors.ts';
import { noHelper, notDoneInTime, refused, type Step, works } from '../../step.ts';
import { type DiscordContext, postText } from '../context.ts';
import { acknowledge, waitForInteraction } from '../helper-connection.ts';
import { buttonRow } from './message-steps.ts';

const openId = 'live-check:open';
const formId = 'live-check:form';

/** A form with the kinds of input that troupe's forms have. */
const form = {
  custom_id: formId,
  title: 'troupe live check',
  components: [
    labelled('Anything', { type: ComponentType.TextInput, style: TextInputStyle.Short, custom_id: 'text' }),
    labelled('Somebody', { type: ComponentType.UserSelect, custom_id: 'user', min_values: 0 }),
    labelled('A role', { type: ComponentType.RoleSelect, custom_id: 'role', min_values: 0 }),
    labelled('A file', { type: ComponentType.FileUpload, custom_id: 'file', min_values: 0 }),
  ],
} as const;

function labelled(label: string, component: object) {
  return { type: ComponentType.Label, label, component: { required: false, ...component } };
}

/** A form can be opened only in response to a button or a command. */
export const formStep: Step<DiscordContext> = {
  name: 'form with selects and a file',
  expects: 'opens, with component types 5, 6 and 19 in labels',
  does: 'asks for input in forms',
  async run(context) {
    const { rest, session } = context;
    if (!session) return noHelper;
    await postText(context, 'please open the form', { components: [buttonRow(openId, 'Open the form')] });
    const press = await waitForInteraction(
      context,
      session,
      'Press “Open the form”, then submit the form as it is.',
      (one): one is Interaction & { isButton(): true } => one.isButton() && one.customId === openId,
    );
    if (!press) return notDoneInTime;
    const answer = (body: object) =>
      rest.post(Routes.interactionCallback(press.id, press.token), { body, auth: false });
    try {
      await answer({ type: InteractionResponseType.Modal, data: form });
    } catch (error) {
      if (errorCode(error) !== RESTJSONErrorCodes.InvalidFormBodyOrContentType) throw error;
      await answer({ type: InteractionResponseType.DeferredMessageUpdate });
      return refused('refused: 50035 Invalid Form Body');
    }
    const sent = await waitForInteraction(context, session, 'Submit the form.', isForm);
    if (!sent) return works('opened; it was not submitted');
    await acknowledge(context, sent);
    return works(`opened and submitted, ${sent.components.length} inputs`);
  },
};

function isForm(interaction: Interaction): interaction is ModalSubmitInteraction {
  return interaction.isModalSubmit() && interaction.customId === formId;
}
