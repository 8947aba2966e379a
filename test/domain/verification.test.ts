import { describe, expect, it } from 'vitest';
import { falseChecks, unknownClaims, withoutEvidence, type Check, type Claim } from '../../src/domain/evidence.ts';
import type { AgentId } from '../../src/domain/names.ts';
import { judge, needsVerifier, verifierFor } from '../../src/domain/verification.ts';
import { aHandoff, ID, JUDGE, RECIPIENT, refusalOf, SENDER, termsOf } from './a-handoff.ts';

const note = { kind: 'note', text: 'done' } as const;

function claim(deliverable: string, ...evidence: Claim['evidence']): Claim {
  return { deliverable, evidence };
}

function check(deliverable: string, verdict: Check['verdict']): Check {
  return { deliverable, verdict, says: 'looked' };
}

describe('who verifies', () => {
  const among = (...verifiers: readonly AgentId[]): ReturnType<typeof aHandoff> =>
    aHandoff('delivered', { kind: 'document', terms: termsOf('document', { verifiers }) });

  it('D8: nobody has to where no verifier is named', () => {
    expect(needsVerifier(among())).toBe(false);
    expect(needsVerifier(among(JUDGE))).toBe(true);
    expect(needsVerifier(among(SENDER))).toBe(true);
  });

  it('D8: the first of the list who neither sent nor did it, at last the operator', () => {
    const other = 'other' as AgentId;
    expect(verifierFor(among(JUDGE, other))).toBe(JUDGE);
    expect(verifierFor(among(SENDER, RECIPIENT, other, JUDGE))).toBe(other);
    expect(verifierFor(among(RECIPIENT, SENDER))).toBe('operator');
    expect(verifierFor(among())).toBe('operator');
  });
});

describe('the judgement', () => {
  const terms = termsOf('document', { deliverables: ['code', 'docs'], criteria: ['runs', 'reads well'] });
  const delivered = aHandoff('delivered', { terms, claims: [claim('code', note), claim('docs', note)] });
  const all = { checks: [check('code', 'true'), check('docs', 'held')], criteria: ['reads well', 'runs'] };

  it('D8: needs every criterion, by its exact words', () => {
    expect(judge(delivered, all).ok).toBe(true);
    const open = (...criteria: readonly string[]): unknown => refusalOf(judge(delivered, { ...all, criteria }));
    expect(open('runs')).toEqual({ code: 'criteria-open', id: ID, criteria: ['reads well'] });
    expect(open()).toMatchObject({ criteria: ['runs', 'reads well'] });
    expect(open('Runs', 'reads well', 'more')).toMatchObject({ criteria: ['runs'] });
    expect(judge(delivered, { ...all, criteria: [...all.criteria, 'more'] }).ok).toBe(true);
  });

  it('D7, D8: evidence that the machine finds false now stops it, though it was true at delivery', () => {
    const wrong = check('code', 'false');
    const refusal = refusalOf(judge(delivered, { ...all, checks: [check('docs', 'true'), wrong] }));
    expect(refusal).toEqual({ code: 'evidence-false', id: ID, checks: [wrong] });
  });

  it('D7, D8: a deliverable without evidence stops it, whatever the verifier says', () => {
    const bare = { ...delivered, claims: [claim('code', note), claim('docs')] };
    expect(refusalOf(judge(bare, all))).toEqual({ code: 'evidence-missing', id: ID, deliverables: ['docs'] });
  });

  it('D8: asks for nothing where nothing was agreed', () => {
    expect(judge(aHandoff('delivered'), { checks: [], criteria: [] }).ok).toBe(true);
  });
});

describe('evidence', () => {
  it('D7: is missing until something is shown, in one claim or another', () => {
    expect(withoutEvidence(['a', 'b'], [claim('a'), claim('a', note)])).toEqual(['b']);
    expect(withoutEvidence(['a'], [])).toEqual(['a']);
    expect(withoutEvidence([], [claim('a', note)])).toEqual([]);
  });

  it('D7: of what nobody asked for is named', () => {
    expect(unknownClaims(['a'], [claim('a', note), claim('A', note), claim('')])).toEqual(['A', '']);
  });

  it('D7: only "false" is false; what no machine can judge is held', () => {
    const checks = [check('a', 'true'), check('b', 'held'), check('c', 'false')];
    expect(falseChecks(checks)).toEqual([checks[2]]);
  });
});
