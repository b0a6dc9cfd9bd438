import { isJson } from '../../fakes/slack/http/arguments.ts';
import type { Json } from '../../fakes/slack/index.ts';
import { type Chrome, drawUnknown } from './chrome.ts';
import { type Html, html } from './html.ts';
import { mrkdwn, type NameOf, slackMarkdown } from './markdown.ts';
import { drawFile, type DrawnFile } from './media.ts';

/** What blocks refer to, and what a person has entered into inputs, by block or label. */
export interface BlockContext {
  readonly nameOf: NameOf;
  readonly chrome: Chrome;
  file(id: string): DrawnFile | undefined;
  readonly entered?: Readonly<Record<string, unknown>>;
  /** What was wrong with an input, by block. */
  readonly errors?: Readonly<Record<string, string>>;
}

/** Block Kit, of messages and views. */
export function drawBlocks(blocks: readonly Json[], context: BlockContext): Html {
  return html`${blocks.map((block) => drawBlock(block, context))}`;
}

function drawBlock(block: Json, context: BlockContext): Html {
  switch (block.type) {
    case 'section':
      return drawSection(block, context);
    case 'context':
      return html`<div class="context">${jsons(block.elements).map((one) => drawElement(one, context))}</div>`;
    case 'actions':
    case 'context_actions':
      return html`<div class="row">${jsons(block.elements).map((one) => drawElement(one, context))}</div>`;
    case 'header':
      return html`<h2>${textOf(block.text)}</h2>`;
    case 'divider':
      return html`<hr>`;
    case 'markdown':
      return html`<div class="text">${slackMarkdown(String(block.text), context.nameOf)}</div>`;
    case 'image':
      return drawImage(block, context);
    case 'table':
      return drawTable(block, context);
    case 'input':
      return drawInput(block, context);
    default:
      return drawUnknown(`${String(block.type)} block`, block);
  }
}

function drawSection(block: Json, context: BlockContext): Html {
  const fields = jsons(block.fields).map((field) => html`<div>${drawText(field, context)}</div>`);
  return html`<div class="section"><div class="text">${isJson(block.text) && drawText(block.text, context)}${
    fields.length > 0 && html`<div class="two">${fields}</div>`
  }</div>${isJson(block.accessory) && drawElement(block.accessory, context)}</div>`;
}

/** A text object. */
function drawText(text: Json, { nameOf }: BlockContext): Html {
  return text.type === 'mrkdwn' ? mrkdwn(String(text.text), nameOf) : html`${String(text.text)}`;
}

const textOf = (value: unknown): string => (isJson(value) ? String(value.text ?? '') : '');

function drawImage(block: Json, context: BlockContext): Html {
  const file = isJson(block.slack_file) ? context.file(String(block.slack_file.id)) : undefined;
  return file
    ? drawFile({ ...file, description: String(block.alt_text) })
    : drawUnknown('image', block.image_url ?? block.slack_file);
}

function drawTable(block: Json, context: BlockContext): Html {
  const rows = (block.rows as Json[][]).map(
    (row) => html`<tr>${row.map((cell) => html`<td>${drawCell(cell, context)}</td>`)}</tr>`,
  );
  return html`<table>${rows}</table>`;
}

function drawCell(cell: Json, context: BlockContext): Html {
  if (cell.type === 'raw_text') return html`${String(cell.text)}`;
  return cell.type === 'mrkdwn' ? drawText(cell, context) : drawUnknown(String(cell.type), cell);
}

/** A button, a menu, or a text of a context. */
function drawElement(element: Json, context: BlockContext): Html {
  switch (element.type) {
    case 'button': {
      const style = String(element.style ?? 'secondary');
      return html`<span class="button ${style}">${textOf(element.text)}${element.url !== undefined && ' ↗'}</span>`;
    }
    case 'feedback_buttons': {
      const { positive_button: yes, negative_button: no } = element;
      const labels = [yes, no].map((button) => (isJson(button) ? textOf(button.text) : ''));
      return html`${labels.map((label) => html`<span class="button secondary">${label}</span>`)}`;
    }
    case 'icon_button':
      return html`<span class="button secondary">[${String(element.icon)}] ${textOf(element.text)}</span>`;
    case 'mrkdwn':
    case 'plain_text':
      return html`<span>${drawText(element, context)}</span>`;
    case 'image':
      return drawImage(element, context);
    default:
      return drawValue(element, context, undefined);
  }
}

/** An input with its label, hint and fault. */
function drawInput(block: Json, context: BlockContext): Html {
  const label = textOf(block.label);
  const entered = context.entered?.[String(block.block_id)] ?? context.entered?.[label];
  const fault = context.errors?.[String(block.block_id)];
  const element = isJson(block.element) ? drawValue(block.element, context, entered) : undefined;
  return html`<label><b>${label}</b>${block.optional !== true && html`<i class="needed"> *</i>`}${element}${
    block.hint !== undefined && html`<small>${textOf(block.hint)}</small>`
  }${fault !== undefined && html`<small class="needed">${fault}</small>`}</label>`;
}

function drawValue(element: Json, { chrome, nameOf }: BlockContext, entered: unknown): Html {
  const placeholder = textOf(element.placeholder);
  const field = (value: unknown, kind = '') =>
    value === undefined || value === '' || value === null
      ? html`<div class="input empty ${kind}">${placeholder}</div>`
      : html`<div class="input ${kind}">${String(value)}</div>`;
  const people = (ids: unknown) =>
    Array.isArray(ids) ? ids.map((id) => nameOf(`<@${String(id)}>`)).join(', ') : undefined;
  switch (element.type) {
    case 'plain_text_input':
      return field(entered ?? element.initial_value, element.multiline === true ? 'tall' : '');
    case 'number_input':
    case 'url_text_input':
    case 'email_text_input':
      return field(entered ?? element.initial_value);
    case 'static_select':
    case 'external_select':
    case 'multi_static_select':
      return field(chosenLabels(element, entered), 'select');
    case 'users_select':
    case 'multi_users_select':
      return field(people(element.initial_users ?? [element.initial_user].filter(Boolean)), 'select');
    case 'radio_buttons':
      return drawChoices(element, entered, ['◉', '○']);
    case 'checkboxes':
      return drawChoices(element, entered, ['☑', '☐']);
    case 'file_input':
      return html`<div class="input empty">⇪ ${chrome.files(Number(element.max_files ?? 10))}</div>`;
    case 'overflow':
      return html`<span class="button secondary">⋯ ${jsons(element.options)
        .map((option) => textOf(option.text))
        .join(' / ')}</span>`;
    default:
      return drawUnknown(String(element.type), element);
  }
}

function drawChoices(element: Json, entered: unknown, [on, off]: readonly [string, string]): Html {
  const options = jsons(element.options).map(
    (option) =>
      html`<div class="choice">${isChosen(element, option, entered) ? on : off} ${textOf(option.text)}${
        option.description !== undefined && html` <small>${textOf(option.description)}</small>`
      }</div>`,
  );
  return html`${options}`;
}

function chosenLabels(element: Json, entered: unknown): string {
  const groups = jsons(element.option_groups).flatMap((group) => jsons(group.options));
  return [...jsons(element.options), ...groups]
    .filter((option) => isChosen(element, option, entered))
    .map((option) => textOf(option.text))
    .join(', ');
}

function isChosen(element: Json, option: Json, entered: unknown): boolean {
  if (typeof entered === 'boolean') return entered;
  if (entered !== undefined) return String(entered).split(' ').includes(String(option.value));
  const initial = [element.initial_option, ...jsons(element.initial_options)].filter(isJson);
  return initial.some(({ value }) => value === option.value);
}

const jsons = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
