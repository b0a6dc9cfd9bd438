export { type AnyDefinition, inherit, none } from './definition.ts';
export {
  definitions,
  forUsersSettings,
  isOffQuarter,
  type SettingName,
  type SettingValues,
  type SwitchableCommand,
  settingNames,
  switchableCommands,
  usersSettingOf,
} from './definitions.ts';
export * from './personal.ts';
export * from './place-settings.ts';
