import { ButtonStyle, ComponentType } from 'discord-api-types/v10';
import {
  checkLength,
  type Fields,
  integerAt,
  objectAt,
  objectsAt,
  requiredTextAt,
  textAt,
} from '../http/fields.ts';
import { invalidField, refusals } from '../http/refusal.ts';

const selects: readonly ComponentType[] = [
  ComponentType.StringSelect,
  ComponentType.UserSelect,
  ComponentType.RoleSelect,
  ComponentType.MentionableSelect,
  ComponentType.ChannelSelect,
];

/**
 * UTF-8 bytes of all that components say, and twelve for each, over which Discord fails: measured of text displays, and
 * reported of menus (discord-api-docs#8554, #7310).
 */
const mostBytes = 10_170;

/** Components of one message; collects what must be unique or adds up. */
interface Count {
  components: number;
  text: number;
  readonly customIds: Set<string>;
  readonly fileNames: ReadonlySet<string>;
}

/** Checks the components of a message (components/reference): old style, or version 2 with its flag. */
export function checkMessageComponents(
  components: readonly Fields[],
  version2: boolean,
  fileNames: ReadonlySet<string>,
): void {
  const count: Count = { components: 0, text: 0, customIds: new Set(), fileNames };
  if (!version2) checkLength(components.length, 'components', 0, 5);
  components.forEach((component, index) => {
    const path = `components.${index}`;
    if (component.type === ComponentType.ActionRow) checkActionRow(component, path, count);
    else if (version2) checkLayout(component, path, count);
    else
      throw invalidField(`${path}.type`, 'UNION_TYPE_CHOICES', 'Value of field "type" must be one of (1,).');
  });
  checkLength(count.components, 'components', 0, 40);
  if (count.text > 4000)
    throw invalidField(
      'components',
      'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
      'Text displays hold 4000 characters in all.',
    );
  const bytes = count.components * 12 + Buffer.byteLength(textsIn(components).join(''));
  if (bytes > mostBytes) throw refusals.brokenDown();
}

/** All texts in them, at any depth. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function checkActionRow(row: Fields, path: string, count: Count): void {
  const children = objectsAt(row, 'components', `${path}.components`);
  checkLength(children.length, `${path}.components`, 1, 5);
  count.components += 1 + children.length;
  children.forEach((child, index) => {
    const at = `${path}.components.${index}`;
    if (child.type === ComponentType.Button) checkButton(child, at, count);
    else if (selects.includes(child.type as ComponentType)) {
      if (children.length > 1)
        throw invalidField(
          `${path}.components`,
          'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
          'A select fills its row.',
        );
      checkSelect(child, at, count);
    } else
      throw invalidField(
        `${at}.type`,
        'UNION_TYPE_CHOICES',
        'Value of field "type" must be one of (2, 3, 5, 6, 7, 8).',
      );
  });
}

function checkButton(button: Fields, path: string, count: Count): void {
  const label = textAt(button, 'label', { max: 80, path: `${path}.label` });
  const style = integerAt(button, 'style', { min: 1, max: 6, path: `${path}.style` });
  if (style === undefined)
    throw invalidField(`${path}.style`, 'BASE_TYPE_REQUIRED', 'This field is required');
  if (!label && button.emoji === undefined && style !== ButtonStyle.Premium)
    throw invalidField(path, 'BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED', 'A label or an emoji is required');
  if (style === ButtonStyle.Link) {
    const url = requiredTextAt(button, 'url', { min: 1, max: 512, path: `${path}.url` });
    if (!/^(https?|discord):\/\//.test(url))
      throw invalidField(
        `${path}.url`,
        'URL_TYPE_INVALID_SCHEME',
        `Scheme "${url.split(':')[0]}" is not supported.`,
      );
    if (button.custom_id !== undefined)
      throw invalidField(
        `${path}.custom_id`,
        'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
        'A link button has no custom id',
      );
    return;
  }
  if (style === ButtonStyle.Premium) return;
  if (button.url !== undefined)
    throw invalidField(
      `${path}.url`,
      'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
      'Only a link button has a url',
    );
  keepCustomId(button, path, count);
}

function checkSelect(select: Fields, path: string, count: Count): void {
  keepCustomId(select, path, count);
  textAt(select, 'placeholder', { max: 150, path: `${path}.placeholder` });
  if (select.type !== ComponentType.StringSelect) return;
  checkSelectOptions(select, path);
}

/** The options of a string select: 1 to 25, no value twice. */
export function checkSelectOptions(select: Fields, path: string): void {
  const options = objectsAt(select, 'options', `${path}.options`);
  checkLength(options.length, `${path}.options`, 1, 25);
  const values = new Set<string>();
  options.forEach((option, index) => {
    const at = `${path}.options.${index}`;
    requiredTextAt(option, 'label', { min: 1, max: 100, path: `${at}.label` });
    textAt(option, 'description', { max: 100, path: `${at}.description` });
    const value = requiredTextAt(option, 'value', { min: 1, max: 100, path: `${at}.value` });
    if (values.has(value))
      throw invalidField(
        `${at}.value`,
        'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
        'The specified option value is already used',
      );
    values.add(value);
  });
}

/** A custom id of 1 to 100 characters, each once a message. */
function keepCustomId(component: Fields, path: string, count: Count): void {
  const id = requiredTextAt(component, 'custom_id', { min: 1, max: 100, path: `${path}.custom_id` });
  if (count.customIds.has(id))
    throw invalidField(
      `${path}.custom_id`,
      'COMPONENT_CUSTOM_ID_DUPLICATED',
      'Component custom id cannot be duplicated',
    );
  count.customIds.add(id);
}

function checkLayout(component: Fields, path: string, count: Count): void {
  count.components += 1;
  if (component.type === ComponentType.TextDisplay) {
    count.text += requiredTextAt(component, 'content', { min: 1, max: 4000, path: `${path}.content` }).length;
  } else if (component.type === ComponentType.Container) {
    const children = objectsAt(component, 'components', `${path}.components`);
    checkLength(children.length, `${path}.components`, 1, 40);
    children.forEach((child, index) => {
      const at = `${path}.components.${index}`;
      if (child.type === ComponentType.ActionRow) checkActionRow(child, at, count);
      else if (child.type === ComponentType.Container)
        throw invalidField(`${at}.type`, 'UNION_TYPE_CHOICES', 'A container holds no container.');
      else checkLayout(child, at, count);
    });
  } else if (component.type === ComponentType.Section) {
    const texts = objectsAt(component, 'components', `${path}.components`);
    checkLength(texts.length, `${path}.components`, 1, 3);
    texts.forEach((text, index) => {
      if (text.type !== ComponentType.TextDisplay)
        throw invalidField(
          `${path}.components.${index}.type`,
          'UNION_TYPE_CHOICES',
          'A section holds text displays.',
        );
      checkLayout(text, `${path}.components.${index}`, count);
    });
    const accessory = objectAt(component, 'accessory', `${path}.accessory`);
    if (accessory.type === ComponentType.Button) checkButton(accessory, `${path}.accessory`, count);
    else
      checkMedia(objectAt(accessory, 'media', `${path}.accessory.media`), `${path}.accessory.media`, count);
    count.components += 1;
  } else if (component.type === ComponentType.MediaGallery) {
    const items = objectsAt(component, 'items', `${path}.items`);
    checkLength(items.length, `${path}.items`, 1, 10);
    items.forEach((item, index) => {
      checkMedia(
        objectAt(item, 'media', `${path}.items.${index}.media`),
        `${path}.items.${index}.media`,
        count,
      );
    });
  } else if (component.type === ComponentType.File) {
    checkMedia(objectAt(component, 'file', `${path}.file`), `${path}.file`, count);
  } else if (component.type !== ComponentType.Separator) {
    throw invalidField(
      `${path}.type`,
      'UNION_TYPE_CHOICES',
      'Value of field "type" must be one of (1, 9, 10, 12, 13, 14, 17).',
    );
  }
}

function checkMedia(media: Fields, path: string, count: Count): void {
  const url = requiredTextAt(media, 'url', { min: 1, max: 2048, path: `${path}.url` });
  const attachment = /^attachment:\/\/(.+)$/.exec(url)?.[1];
  if (attachment !== undefined && !count.fileNames.has(attachment))
    throw invalidField(
      `${path}.url`,
      'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND',
      `The referenced attachment ${attachment} was not found`,
    );
}
