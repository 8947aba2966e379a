/** What one token, one address and all clients may use of the server; `server` in `baton.yaml`. */
export type ServerLimits = Readonly<typeof DEFAULT_SERVER_LIMITS>;

export const DEFAULT_SERVER_LIMITS = {
  connections: 1_024,
  connectionsPerAddress: 512,
  waitsPerToken: 64,
  waitsPerAddress: 256,
  streamsPerToken: 64,
  streamsPerAddress: 256,
  requestsPerSecond: 200,
};
