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

const choices = ['one', 'two'].map((value) => ({ label: value, value }));

/** A form with the kinds of input that troupe's forms have. */
const form = {
  custom_id: formId,
  title: 'troupe live check',
  components: [
    labelled('Anything', { type: ComponentType.TextInput, style: TextInputStyle.Short, custom_id: 'text' }),
    labelled('People and roles', { type: ComponentType.MentionableSelect, custom_id: 'who', min_values: 0 }),
    labelled('A button', { type: ComponentType.RadioGroup, custom_id: 'radio', options: choices }),
    labelled('A menu', {
      type: ComponentType.StringSelect,
      custom_id: 'menu',
      min_values: 0,
      options: choices,
    }),
    labelled('A file', { type: ComponentType.FileUpload, custom_id: 'file', min_values: 0 }),
  ],
} as const;

function labelled(label: string, component: object) {
  return { type: ComponentType.Label, label, component: { required: false, ...component } };
}

/** A form can be opened only in response to a button or a command. */
export const formStep: Step<DiscordContext> = {
  name: 'form with selects and a file',
  expects: 'opens, with component types 3, 4, 7, 19 and 21 in labels',
  does: 'asks for input in forms; one that is refused opens again with text fields only',
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
