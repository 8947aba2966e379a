/** The example of the specification, to the byte. */
export const SPEC_DOCUMENT = `---
# IDENTIFICATION (Required)
handoff_id: handoff-grok-claude-BPRD-2026-0042-20260221
from_agent: grok
to_agent: claude
related_task: BPRD-2026-0042

# LIFECYCLE (Required)
status: Active
created_at: 2026-02-21T14:30:00Z
updated_at: 2026-02-21T14:35:00Z
expires_at: 2026-02-21T18:35:00Z

# CONTENT (Required)
title: "Implement API Rate Limiting"
purpose: |
  Transfer implementation task from planning phase to development.
  Claude has the technical skills needed.
  
context: |
  Discussed in sprint planning meeting. API needs rate limiting
  before public launch. Priority is high.
  
deliverables:
  - "Implemented rate limiting middleware"
  - "Unit tests passing"
  - "Documentation updated"
  
verification_criteria:
  - "All tests pass in CI"
  - "Rate limiting works as specified"
  - "No performance regression"

# LINKAGE (Required)
source_meeting: meetings/transcripts/meeting-2026-02-21-14-30-sprint-planning.md
skill_web_node: skills/api-development

# ACKNOWLEDGMENT (Set by recipient)
acknowledged_at: null
acknowledged_by: null
acknowledgment_notes: null

# COMPLETION (Set at end)
completed_at: null
completion_verified_by: null
completion_notes: null
---

# Handoff: Implement API Rate Limiting

## From: Grok (Chief)
## To: Claude

### Timeline
- Created: 2026-02-21T14:30:00Z
- Expires if not acknowledged: 2026-02-21T18:35:00Z
- Target completion: [optional]
`;
