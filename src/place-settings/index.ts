export { type AnyDefinition, inherit, none } from './definition.ts';
export {
  definitions,
  type PaidCommand,
  paidCommands,
  type SettingName,
  type SettingValues,
  type SwitchedCommand,
  settingNames,
  switchedCommands,
} from './definitions.ts';
export * from './place-settings.ts';
export { isOffQuarter } from './time-zone.ts';
