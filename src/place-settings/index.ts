export {
  type AnyDefinition,
  cheapestModel,
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
  tiersIn,
} from './definitions.ts';
export * from './place-settings.ts';
