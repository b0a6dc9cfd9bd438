import { ButtonStyle, ComponentType } from 'discord-api-types/v10';
import { type Fields, isFields, objectsAt } from '../../fakes/discord/http/fields.ts';
import { type Chrome, drawUnknown } from './chrome.ts';
import { type Html, html } from './html.ts';
import { discordMarkdown, type NameOf } from './markdown.ts';
import { drawFile, drawGallery, type DrawnFile } from './media.ts';

/** What components refer to. */
export interface ComponentContext {
  readonly nameOf: NameOf;
  readonly chrome: Chrome;
  /** The message's files, by the addresses components use. */
  file(address: string): DrawnFile | undefined;
}

/** Message components, old and version 2. */
export function drawComponents(components: readonly Fields[], context: ComponentContext): Html {
  return html`${components.map((component) => drawComponent(component, context))}`;
}

function drawComponent(component: Fields, context: ComponentContext): Html {
  const inner = () => drawComponents(objectsAt(component, 'components'), context);
  switch (component.type) {
    case ComponentType.ActionRow:
      return html`<div class="row">${inner()}</div>`;
    case ComponentType.Button:
      return drawButton(component);
    case ComponentType.TextDisplay:
      return html`<div class="text">${discordMarkdown(String(component.content), context.nameOf)}</div>`;
    case ComponentType.Container: {
      const color = Number(component.accent_color ?? 0xc4c9d1)
        .toString(16)
        .padStart(6, '0');
      return html`<div class="container" style="border-left-color:#${color}">${inner()}</div>`;
    }
    case ComponentType.Section: {
      const accessory = isFields(component.accessory)
        ? drawComponent(component.accessory, context)
        : undefined;
      return html`<div class="section"><div>${inner()}</div>${accessory}</div>`;
    }
    case ComponentType.Separator:
      return html`<hr>`;
    case ComponentType.Thumbnail:
    case ComponentType.File:
      return drawMedia(component.media ?? component.file, component, context);
    case ComponentType.MediaGallery:
      return drawItems(component, context);
    default:
      return drawInput(component, context);
  }
}

function drawItems(component: Fields, context: ComponentContext): Html {
  const items = objectsAt(component, 'items');
  const files = items.map((item) => {
    const file = mediaOf(item.media, context);
    return file && { ...file, spoiler: item.spoiler === true };
  });
  const known = files.filter((file) => file !== undefined);
  return known.length === items.length ? drawGallery(known) : drawUnknown('media gallery', items);
}

function drawMedia(media: unknown, component: Fields, context: ComponentContext): Html {
  const file = mediaOf(media, context);
  return file ? drawFile(file) : drawUnknown('media', component);
}

function mediaOf(media: unknown, context: ComponentContext): DrawnFile | undefined {
  return isFields(media) ? context.file(String(media.url)) : undefined;
}

function drawButton(button: Fields): Html {
  const style = String(ButtonStyle[Number(button.style)] ?? 'Secondary').toLowerCase();
  const emoji = isFields(button.emoji) ? html`${String(button.emoji.name)} ` : undefined;
  const off = button.disabled === true ? ' off' : '';
  const link = button.style === ButtonStyle.Link ? ' ↗' : '';
  return html`<span class="button ${style}${off}">${emoji}${String(button.label ?? '')}${link}</span>`;
}

/** What a form's inputs show, with what a person has entered there. */
export function drawInput(
  input: Fields,
  { chrome, nameOf }: Pick<ComponentContext, 'chrome' | 'nameOf'>,
  entered?: unknown,
): Html {
  const several = (kind: string) => {
    const preset = objectsAt(input, 'default_values').map(({ id }) => String(id));
    const chosen = (Array.isArray(entered) ? entered.map(String) : preset).map((id) => nameOf(`<@${id}>`));
    return drawSelect(chosen.join(', ') || String(input.placeholder ?? kind));
  };
  switch (input.type) {
    case ComponentType.TextInput:
      return drawText(input, entered);
    case ComponentType.StringSelect:
      return drawSelect(chosenOf(input, entered) || String(input.placeholder ?? ''));
    case ComponentType.RadioGroup:
    case ComponentType.CheckboxGroup:
      return drawChoices(input, entered);
    case ComponentType.Checkbox:
      return html`<div class="choice">${(entered ?? input.default) === true ? '☑' : '☐'}</div>`;
    case ComponentType.FileUpload:
      return html`<div class="input empty">⇪ ${chrome.files(Number(input.max_values ?? 1))}</div>`;
    case ComponentType.UserSelect:
      return several(chrome.people);
    case ComponentType.RoleSelect:
      return several(chrome.roles);
    case ComponentType.MentionableSelect:
      return several(chrome.rolesAndPeople);
    case ComponentType.ChannelSelect:
      return several(chrome.channels);
    default:
      return drawUnknown(ComponentType[Number(input.type)] ?? `component ${String(input.type)}`, input);
  }
}

function drawText(input: Fields, entered: unknown): Html {
  const value = String(entered ?? input.value ?? '');
  const tall = input.style === 2 ? ' tall' : '';
  return value === ''
    ? html`<div class="input empty${tall}">${String(input.placeholder ?? '')}</div>`
    : html`<div class="input${tall}">${value}</div>`;
}

function drawSelect(shown: string): Html {
  return html`<div class="input select">${shown}</div>`;
}

function drawChoices(input: Fields, entered: unknown): Html {
  const [on, off] = input.type === ComponentType.RadioGroup ? ['◉', '○'] : ['☑', '☐'];
  const options = objectsAt(input, 'options').map((option) => {
    const chosen = entered === undefined ? option.default === true : isAmong(option.value, entered);
    return html`<div class="choice">${chosen ? on : off} ${String(option.label)}${
      option.description !== undefined && html` <small>${String(option.description)}</small>`
    }</div>`;
  });
  return html`${options}`;
}

function chosenOf(input: Fields, entered: unknown): string {
  return objectsAt(input, 'options')
    .filter((option) => (entered === undefined ? option.default === true : isAmong(option.value, entered)))
    .map(({ label }) => String(label))
    .join(', ');
}

function isAmong(value: unknown, entered: unknown): boolean {
  return Array.isArray(entered) ? entered.includes(value) : entered === value;
}
