/** What one token, one address and all clients may use of the server; `server` in `baton.yaml`. */
export interface ServerLimits {
  readonly connections: number;
  readonly connectionsPerAddress: number;
  readonly waitsPerToken: number;
  readonly waitsPerAddress: number;
  readonly streamsPerToken: number;
  readonly streamsPerAddress: number;
  readonly requestsPerSecond: number;
}

export const DEFAULT_SERVER_LIMITS: ServerLimits = {
  connections: 1_024,
  connectionsPerAddress: 512,
  waitsPerToken: 64,
  waitsPerAddress: 256,
  streamsPerToken: 64,
  streamsPerAddress: 256,
  requestsPerSecond: 200,
};
