/**
 * Version 2: access tokens, indexes for chains and inboxes, and full-text search. An inbox entry is due at the end of
 * time. `words` follows the facts up to the cursor in `indexed`; `stores/search-words.ts` splits the text, so that no parser or
 * dictionary of the server takes part.
 *
 * A released migration is never edited.
 */
export const LISTS_AND_WORDS = `
create table baton.token (
  id text collate "C" primary key,
  hash text collate "C" not null unique,
  record text not null,
  revoked_at bigint
);

create index body_chain on baton.body (((lineage::jsonb) ->> 'root') collate "C", n) where lineage is not null;
create index effect_inbox on baton.effect (kind collate "C", seq) where not done and due_at = 'infinity';
alter table baton.effect add column tries integer not null default 0;

create table baton.words (n bigint primary key, words tsvector not null);
create index words_words on baton.words using gin (words);
create table baton.indexed (one boolean primary key default true check (one), cursor text not null);
insert into baton.indexed (cursor) values ('');
`;
