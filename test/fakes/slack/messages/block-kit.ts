import { isJson } from '../http/arguments.ts';
import { Failure } from '../http/failure.ts';
import { limits } from '../http/limits.ts';
import { needReading, type Readings, usualReadings } from '../readings.ts';
import type { Json } from '../records.ts';
import { addressesIn, pingsIn, plainPingsIn } from './formatting.ts';

/**
 * Refuses blocks of a message that break the Block Kit reference. Whether their length altogether counts in characters
 * or in bytes is not documented.
 */
export function checkMessageBlocks(blocks: readonly Json[], readings: Readings = usualReadings): void {
  if (blocks.length > limits.blocks.count) throw new Failure('msg_blocks_too_many');
  const markdown = blocks
    .filter((block) => block.type === 'markdown')
    .reduce((sum, block) => sum + String(block.text ?? '').length, 0);
  if (markdown > limits.markdown) invalid('markdown blocks are longer than 12000 characters together');
  const json = JSON.stringify(blocks);
  const size = readings.blocksInCharacters === 'works' ? json.length : Buffer.byteLength(json);
  if (size > limits.blocks.json) throw new Failure('msg_blocks_too_long');
  if (blocks.filter((block) => block.type === 'table').length > 1) invalid('only one table is allowed');
  checkIds(blocks, 'block_id');
  for (const block of blocks) {
    if (block.type === 'input') invalid('input blocks belong into views');
    if (block.type === 'context_actions') needReading(readings, 'feedbackButtons');
    checkBlock(block, readings);
  }
}

/** Refuses one block that breaks the Block Kit reference. */
export function checkBlock(block: Json, readings: Readings = usualReadings): void {
  if (block.block_id !== undefined) length(block.block_id, 'block_id', 1, 255);
  switch (block.type) {
    case 'section':
      checkSection(block);
      return;
    case 'actions':
      checkElements(block, limits.actionsElements, ['button', 'static_select', 'overflow']);
      return;
    case 'context_actions':
      checkContextActions(block);
      return;
    case 'context':
      checkContext(block);
      return;
    case 'header':
      plain(block.text, 'header', limits.header);
      return;
    case 'divider':
    case 'rich_text':
      return;
    case 'image':
      checkImage(block, readings);
      return;
    case 'markdown':
      length(block.text, 'markdown text', 1, limits.markdown);
      return;
    case 'table':
      checkTable(block);
      return;
    default:
      invalid(`unsupported block type ${String(block.type)}`);
  }
}

function checkSection(block: Json): void {
  const fields = block.fields;
  if (block.text === undefined && fields === undefined) invalid('a section needs text or fields');
  if (block.text !== undefined) anyText(block.text, 'section text', limits.section.text);
  if (fields !== undefined) {
    if (!Array.isArray(fields) || fields.length > limits.section.fields) invalid('section fields');
    for (const field of fields as unknown[]) anyText(field, 'section field', limits.section.field);
  }
  if (isJson(block.accessory))
    checkElement(block.accessory, ['button', 'image', 'static_select', 'overflow']);
}

function checkContextActions(block: Json): void {
  const elements = listOf(block.elements, 'elements', 1, limits.contextActions);
  checkIds(elements, 'action_id');
  for (const element of elements) {
    if (element.type !== 'feedback_buttons') invalid(`element ${String(element.type)} is not allowed here`);
    if (element.action_id !== undefined) length(element.action_id, 'action_id', 1, limits.actionId);
    for (const name of ['positive_button', 'negative_button']) {
      const button = element[name];
      if (!isJson(button)) throw invalid(`${name} is missing`);
      plain(button.text, name, limits.button.label);
      length(button.value, `${name} value`, 1, limits.button.value);
      if (button.accessibility_label !== undefined)
        length(button.accessibility_label, 'accessibility_label', 1, limits.button.label);
    }
  }
}

function checkContext(block: Json): void {
  const elements = listOf(block.elements, 'context elements', 1, limits.contextElements);
  for (const element of elements) {
    if (element.type === 'image') checkImage(element);
    else anyText(element, 'context text', limits.section.text);
  }
}

function checkElements(block: Json, most: number, allowed: readonly string[]): void {
  const elements = listOf(block.elements, 'elements', 1, most);
  checkIds(elements, 'action_id');
  for (const element of elements) checkElement(element, allowed);
}

function checkElement(element: Json, allowed: readonly string[]): void {
  if (!allowed.includes(String(element.type))) invalid(`element ${String(element.type)} is not allowed here`);
  if (element.action_id !== undefined) length(element.action_id, 'action_id', 1, limits.actionId);
  if (element.type === 'image') checkImage(element);
  if (element.type === 'button') checkButton(element);
  if (isJson(element.confirm)) checkConfirm(element.confirm);
}

function checkButton(button: Json): void {
  plain(button.text, 'button label', limits.button.label);
  if (button.accessibility_label !== undefined)
    length(button.accessibility_label, 'accessibility_label', 1, limits.button.label);
  if (button.value !== undefined) length(button.value, 'button value', 0, limits.button.value);
  if (button.url !== undefined) length(button.url, 'button url', 1, limits.button.url);
  if (button.style !== undefined && !['primary', 'danger'].includes(String(button.style))) invalid('style');
}

function checkConfirm(confirm: Json): void {
  plain(confirm.title, 'confirm title', 100);
  anyText(confirm.text, 'confirm text', 300);
  plain(confirm.confirm, 'confirm button', 30);
  plain(confirm.deny, 'deny button', 30);
}

/** What an image may have; Slack gives it back with more, and refuses that ("additional invalid properties"). */
const imageFields = ['type', 'block_id', 'title', 'alt_text', 'image_url', 'slack_file'];

function checkImage(block: Json, readings: Readings = usualReadings): void {
  const more = Object.keys(block).filter((name) => !imageFields.includes(name));
  const { slack_file: file } = block;
  const isGivenBack = more.length > 0 || (isJson(file) && Object.keys(file).length !== 1);
  if (isGivenBack && readings.imageSentBack === 'refused')
    invalid(`image: additional properties ${more.join(', ')}`);
  length(block.alt_text, 'alt_text', 1, limits.imageAlt);
  if (block.image_url === undefined && block.slack_file === undefined) invalid('an image needs its address');
}

function checkTable(block: Json): void {
  const rows = block.rows;
  if (!Array.isArray(rows) || rows.length === 0 || rows.length > limits.table.rows) invalid('table rows');
  for (const row of rows as unknown[]) {
    if (!Array.isArray(row) || row.length > limits.table.columns) invalid('table columns');
  }
}

/** Refuses two parts of the same id. */
export function checkIds(parts: readonly Json[], name: 'block_id' | 'action_id'): void {
  const ids = parts.map((part) => part[name]).filter((id) => id !== undefined);
  if (new Set(ids).size !== ids.length) invalid(`${name} stands twice`);
}

/** A plain_text object of at most `most` characters. */
export function plain(value: unknown, name: string, most: number): void {
  if (!isJson(value) || value.type !== 'plain_text') invalid(`${name} has to be plain_text`);
  length((value as Json).text, name, 1, most);
}

export function anyText(value: unknown, name: string, most: number): void {
  if (!isJson(value) || !['plain_text', 'mrkdwn'].includes(String(value.type))) {
    invalid(`${name} has to be a text object`);
  }
  length((value as Json).text, name, 1, most);
}

export function length(value: unknown, name: string, least: number, most: number): void {
  if (typeof value !== 'string' || value.length < least || value.length > most) {
    invalid(`${name} has to be text of ${least} to ${most} characters`);
  }
}

export function listOf(value: unknown, name: string, least: number, most: number): Json[] {
  if (!Array.isArray(value) || value.length < least || value.length > most || !value.every(isJson)) {
    invalid(`${name}: ${least} to ${most}`);
  }
  return value as Json[];
}

export function invalid(message: string): never {
  throw new Failure('invalid_blocks', { response_metadata: { messages: [`[ERROR] ${message}`] } });
}

/** Every text in blocks that Slack parses for mentions and links: not plain_text, not values of buttons. */
export function parsedTexts(blocks: readonly Json[]): string[] {
  return textsIn(blocks, ({ type }) => ['mrkdwn', 'markdown'].includes(String(type)));
}

/** Those of them in which Slack also looks for plain names: what a `markdown` block does with them isn't documented. */
function looselyParsedTexts(blocks: readonly Json[]): string[] {
  return textsIn(blocks, isLooselyParsed);
}

/** Whether Slack looks for plain names in a text of blocks. */
export function isLooselyParsed({ type, verbatim }: Json): boolean {
  return type === 'markdown' || (type === 'mrkdwn' && verbatim !== true);
}

function textsIn(blocks: readonly Json[], isOne: (value: Json) => boolean): string[] {
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) walk(one);
    if (!isJson(value)) return;
    if (isOne(value) && typeof value.text === 'string') texts.push(value.text);
    if (value.type === 'link' && typeof value.url === 'string') texts.push(value.url);
    for (const inner of Object.values(value)) walk(inner);
  };
  walk(blocks);
  return texts;
}

/** Who texts ring for, and the addresses in them. */
export function ringsAndLinks(texts: readonly string[]): { pings: string[]; links: string[] } {
  return { pings: texts.flatMap(pingsIn), links: texts.flatMap(addressesIn) };
}

/** Whom the plain words of a message ring for: those of its text, beside blocks too, and of its blocks. */
export function plainRings(readings: Readings, blocks: readonly Json[], texts: readonly string[]): string[] {
  if (readings.plainNamesParsed === 'refused') return [];
  return [...texts, ...looselyParsedTexts(blocks)].flatMap(plainPingsIn);
}

/** What a reader of a message sees of its blocks, line by line. */
export function blocksAsText(blocks: readonly Json[]): string {
  const lines: string[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) walk(one);
    if (!isJson(value)) return;
    if (typeof value.text === 'string') lines.push(value.text);
    for (const [name, inner] of Object.entries(value)) {
      if (name !== 'confirm' && name !== 'value') walk(inner);
    }
  };
  walk(blocks);
  return lines.join('\n');
}
