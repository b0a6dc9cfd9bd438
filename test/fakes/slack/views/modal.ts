import { isJson } from '../http/arguments.ts';
import { Failure } from '../http/failure.ts';
import { limits } from '../http/limits.ts';
import { checkBlock, checkIds, length, listOf, plain } from '../messages/block-kit.ts';
import type { Json } from '../records.ts';
import type { Caller } from '../world.ts';

const { view: most } = limits;

/** Refuses a view that breaks the reference of modals, or of Home tabs. */
export function checkView(view: Json, caller: Caller, type: 'modal' | 'home' = 'modal'): void {
  if (JSON.stringify(view).length > most.json) throw new Failure('view_too_large');
  try {
    if (view.type !== type) wrong(`type has to be ${type}`);
    checkContent(view, caller);
  } catch (error) {
    if (error instanceof Failure && error.code === 'invalid_blocks') {
      throw new Failure('invalid_arguments', error.extra);
    }
    throw error;
  }
}

function checkContent(view: Json, caller: Caller): void {
  const isHome = view.type === 'home';
  if (isHome) {
    for (const name of ['title', 'submit', 'close', 'clear_on_close', 'notify_on_close', 'submit_disabled']) {
      if (view[name] !== undefined) wrong(`a Home tab has no ${name}`);
    }
  } else plain(view.title, 'title', most.title);
  if (view.submit !== undefined) plain(view.submit, 'submit', most.button);
  if (view.close !== undefined) plain(view.close, 'close', most.button);
  if (view.callback_id !== undefined) length(view.callback_id, 'callback_id', 1, most.callbackId);
  if (view.private_metadata !== undefined) {
    length(view.private_metadata, 'private_metadata', 0, most.privateMetadata);
  }
  const blocks = listOf(view.blocks, 'blocks', 1, limits.blocks.modalCount);
  checkIds(blocks, 'block_id');
  const inputs = blocks.filter((block) => block.type === 'input');
  if (!isHome && inputs.length > 0 && view.submit === undefined) wrong('a view with inputs needs submit');
  for (const block of blocks) {
    if (block.type === 'markdown' || block.type === 'table')
      wrong(`${block.type} blocks belong into messages`);
    if (block.type === 'input') checkInput(block, caller);
    else checkBlock(block);
  }
}

function checkInput(block: Json, caller: Caller): void {
  plain(block.label, 'label', most.label);
  if (block.hint !== undefined) plain(block.hint, 'hint', most.hint);
  if (block.block_id !== undefined) length(block.block_id, 'block_id', 1, 255);
  const element = block.element;
  if (!isJson(element)) throw badView('an input needs its element');
  if (element.action_id !== undefined) length(element.action_id, 'action_id', 1, limits.actionId);
  if (element.placeholder !== undefined) plain(element.placeholder, 'placeholder', most.placeholder);
  switch (element.type) {
    case 'plain_text_input':
      checkTextInput(element);
      return;
    case 'number_input':
      if (typeof element.is_decimal_allowed !== 'boolean') wrong('number_input needs is_decimal_allowed');
      return;
    case 'multi_users_select':
      if (element.initial_users !== undefined && !Array.isArray(element.initial_users))
        wrong('initial_users');
      return;
    case 'multi_static_select':
    case 'static_select':
    case 'radio_buttons':
    case 'checkboxes':
      checkOptions(element);
      return;
    case 'file_input':
      caller.use('files:read');
      checkFileInput(element);
      return;
    case 'url_text_input':
    case 'external_select':
    case 'users_select':
    case 'conversations_select':
      return;
    default:
      wrong(`input element ${String(element.type)}`);
  }
}

function checkTextInput(element: Json): void {
  const longest = element.max_length ?? most.inputLength;
  if (typeof longest !== 'number' || longest < 1 || longest > most.inputLength) wrong('max_length');
  if (element.initial_value !== undefined) {
    // Empty ones are refused (reported: Netflix/dispatch#6144).
    length(element.initial_value, 'initial_value', 1, longest as number);
  }
}

function checkOptions(element: Json): void {
  const options = listOf(element.options, 'options', 1, most.options);
  const few = ['radio_buttons', 'checkboxes'].includes(String(element.type));
  if (few && options.length > 10) wrong('at most 10 options');
  for (const option of options) {
    plain(option.text, 'option text', most.optionText);
    length(option.value, 'option value', 1, most.optionValue);
  }
  for (const one of (element.initial_options ?? []) as Json[]) {
    if (!options.some((option) => option.value === one.value))
      wrong('initial_options has none of the options');
  }
  const initial = element.initial_option;
  if (isJson(initial) && !options.some((option) => option.value === initial.value)) {
    wrong('initial_option is none of the options');
  }
}

function checkFileInput(element: Json): void {
  const files = element.max_files ?? most.files;
  if (typeof files !== 'number' || files < 1 || files > most.files) wrong('max_files');
  if (element.filetypes !== undefined && !Array.isArray(element.filetypes)) wrong('filetypes');
}

function wrong(message: string): never {
  throw badView(message);
}

function badView(message: string): Failure {
  return new Failure('invalid_arguments', { response_metadata: { messages: [`[ERROR] ${message}`] } });
}
