/** `baton.yaml` cannot be used; the message says where and why. */
export class ConfigurationProblem extends Error {
  override readonly name = 'ConfigurationProblem';
}
