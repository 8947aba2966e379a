/** The six sections of a handoff document: what each is about, and by which headings it is recognized. */
export const SECTIONS = [
  {
    title: 'Current work',
    about: 'what you are working on right now, and for whom',
    known: /current|task|working on/i,
  },
  { title: 'Progress', about: 'what is done, what is half done, what was tried', known: /progress|done|status/i },
  { title: 'Decisions', about: 'what was decided, each with its reason', known: /decision/i },
  { title: 'Blockers', about: 'what is in the way, or "none"', known: /blocker|blocked|risk|open question/i },
  { title: 'Files changed', about: 'each file with its path and what changed in it', known: /file/i },
  { title: 'Next steps', about: 'what to do next, in order, concrete enough to begin at once', known: /next/i },
] as const;

export type SectionTitle = (typeof SECTIONS)[number]['title'];
