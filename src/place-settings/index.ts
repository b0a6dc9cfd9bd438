export {
  type AnyDefinition,
  definitions,
  forUsersSettings,
  inherit,
  isOffQuarter,
  none,
  type SettingName,
  type SettingValues,
  type SwitchableCommand,
  settingNames,
  switchableCommands,
} from './definitions.ts';
export * from './place-settings.ts';
