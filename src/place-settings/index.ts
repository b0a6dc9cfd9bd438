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
export {
  maxPersonaName,
  maxPersonas,
  noPersona,
  type Persona,
  type PersonaFault,
  type PersonaParts,
  Personas,
  personaNamed,
  readPersonaName,
} from './personas.ts';
export * from './personal-defaults.ts';
export * from './place-settings.ts';
