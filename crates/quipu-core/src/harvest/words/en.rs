//! English.

use super::{Lexicon, Role};
use crate::harvest::Status;

pub(super) const WORDS: Lexicon = Lexicon {
    headings: &[
        (
            Role::Decision,
            "decision | decision outcome | the decision | our decision | resolution | outcome \
                 | decision made | final decision | what we decided | decision taken \
                 | chosen option | chosen solution | selected option | verdict | conclusion \
                 | recommendation and decision | decision statement | decision summary",
        ),
        (
            Role::Decisions,
            "decisions | key decisions | design decisions | architecture decisions \
                 | decision log | architectural decisions | technical decisions | decisions made \
                 | decisions taken | major decisions | resolved questions | resolved | agreed | agreements \
                 | we agreed | what we agreed | resolutions | invariants | principles \
                 | ground rules | design principles | architecture principles \
                 | guiding principles | architectural principles | core principles | tenets \
                 | settled | choices | solution strategy | design choices | technology choices \
                 | key choices | decided | outcomes | constraints",
        ),
        (
            Role::Rules,
            "rules | conventions | coding conventions | naming conventions | our rules \
                 | house rules | the rules | policy | policies | standards | coding standards \
                 | requirements for changes | working agreement | working agreements \
                 | team agreements | code style | coding style | style guide | styleguide \
                 | guidelines | coding guidelines | engineering guidelines | best practices \
                 | must | must not | do not | don't | don'ts | avoid | forbidden | do | dos \
                 | dos and don'ts | commit messages | guardrails | hard rules | rules of the road \
                 | branching | git workflow | review rules | normative rules",
        ),
        (Role::Status, "status | state | decision status | current status | record status | stage"),
        (
            Role::Context,
            "context | context and problem statement | problem | problem statement \
                 | background | motivation | issue | the problem | problem description | why now \
                 | introduction | forces | situation",
        ),
        (
            Role::Reason,
            "rationale | reasons | reasoning | justification | why | argument | arguments \
                 | reason",
        ),
        (
            Role::Consequences,
            "consequences | positive consequences | negative consequences | implications \
                 | trade-offs | tradeoffs | impact | drawbacks | confirmation | downsides \
                 | what becomes easier",
        ),
        (
            Role::Options,
            "considered options | options | options considered | alternatives \
                 | alternatives considered | pros and cons of the options | rejected alternatives \
                 | rationale and alternatives | decision drivers | open questions \
                 | unresolved questions | rejected | rejected ideas | rejected options \
                 | rejected decisions | proposed decisions | pending decisions | open decisions \
                 | open issues | future possibilities | future work | prior art | example \
                 | examples | links | references | more information | further reading | related \
                 | related decisions | related work | notes on process | code of conduct \
                 | action items | actions | next steps | todos | to do | agenda | attendees \
                 | parking lot | getting started | getting set up | setup | set up \
                 | development setup | installation | install | prerequisites | how to \
                 | quick start | quickstart | usage | history | changelog | revision history \
                 | version history | glossary | table of contents | contents | superseded \
                 | superseded decisions | deprecated | archived | historical | archive \
                 | withdrawn | transition path | how we teach this | copyright | acknowledgements \
                 | license | reporting bugs | reporting issues | rejection notice | deferred \
                 | test plan | release signoff checklist | graduation criteria | technical debt \
                 | risks and technical debt | troubleshooting | faq | ideas | discarded \
                 | discarded ideas | what we tried | pros | cons | questions | discussion",
        ),
        (
            Role::Summary,
            "proposed solution | proposed design | proposed approach | decision in short | summary | abstract | tl;dr | tldr \
                 | overview | proposal | in short | in brief | executive summary",
        ),
        (
            Role::NonGoals,
            "non-goals | non goals | nongoals | out of scope | not planned | not doing \
                 | won't do | what we will not do | not on the roadmap | explicitly not planned \
                 | not in scope | anti-goals | we will not | will not do | not now | never \
                 | what this is not | wontfix | no plans | won't have | out-of-scope \
                 | explicitly out of scope | limitations of scope",
        ),
    ],
    statuses: &[
        (
            Status::Superseded,
            "superseded | replaced by | replaced! | replaced with | replaced in | replaced on \
                 | obsoleted | superceded | superseeded | supersceded | succeeded by | subsumed \
                 | absorbed | merged into | overridden | overtaken | moved to",
        ),
        (
            Status::Deprecated,
            "deprecated | obsolete | retired | abandoned | inactive | outdated | out of date \
                 | expired | stagnant | reverted | revoked | rescinded | repealed | annulled \
                 | void | overturned | undone | rolled back | discontinued | archived | historic \
                 | historical | legacy | stale | sunset | sunsetted | end of life | eol | removed \
                 | no longer | not in force | lapsed | depreciated | dropped | dead | invalid \
                 | invalidated | lifted | ended | terminated | phased out | moribund | cancelled \
                 | canceled | frozen | unmaintained",
        ),
        (
            Status::Rejected,
            "rejected | declined | withdrawn | closed | refused | denied | vetoed \
                 | not accepted | not approved | not adopted | discarded | dismissed | scrapped \
                 | wontfix | won't fix | won't do | will not do | turned down | voted down \
                 | abandoned before decision",
        ),
        (
            Status::Accepted,
            "accepted | approved | adopted | implemented | implementable | final | finalized \
                 | finalised | active | decided | done | agreed | merged | landed | in force \
                 | in effect | effective | shipped | released | stable | recommended | published \
                 | committed | ratified | enacted | complete | completed | live | current | valid \
                 | ready for release | standard | resolved | confirmed | binding | mandatory \
                 | enforced | in use | in production | maintained | living | living document \
                 | up to date | signed off | passed | ongoing | accepted with revisions \
                 | accepted with changes | deployed | generally available | ga | settled | adopt \
                 | finished | closed as accepted",
        ),
        (
            Status::Proposed,
            "proposed | proposal! | draft | drafting | drafted | in review | under review \
                 | review | reviewing | pending | open | wip | work in progress | in progress \
                 | in discussion | under discussion | discussion | discussing | provisional \
                 | idea | ideation | exploring | exploration | tbd | todo | to do \
                 | request for comments | rfc! | final comment period | fcp | last call \
                 | awaiting | prediscussion | submitted | new | unresolved | undecided \
                 | under consideration | considering | planned | not started | candidate \
                 | to be decided | deferred | postponed | on hold | hold | paused | parked \
                 | suspended | blocked | not yet | tentative | tentatively | conditional \
                 | needs discussion | needs review | needs decision | in draft | early draft \
                 | initial | incomplete | unapproved | unaccepted | waiting | requested | backlog \
                 | unreviewed | not decided | stub | placeholder | shelved \
                 | returned for revision | active review | scheduled for review | awaiting review \
                 | to be discussed | up for review | comments wanted | wanted",
        ),
    ],
    status_labels: "status | state | decision status | current status | record status | adr status",
    decision_labels: "decision | decided | resolution | agreed | we decided | final decision | outcome \
         | decision outcome | agreement",
    reason_labels: "why | reason | rationale | because | context | reasoning | justification | background \
         | motivation",
    other_labels: "date | author | authors | deciders | decision-makers | decision makers | owner | owners \
         | tags | consulted | informed | ticket | issue | technical story | participants \
         | alternatives | alternatives considered | rejected | approver | approvers | reviewer \
         | reviewers | last updated | updated | created | version | feature name | start date \
         | rfc pr | id | type | category | title | discussion | tracking issue | rust issue \
         | consequences | impact | attendees | present | options | stakeholders | team \
         | supersedes | superseded by | replaces | replaced by | obsoletes | related | amends \
         | amended by | decision date | champion | sponsor | post-history | links | see also \
         | scope | driver | revisit | note | who | epic | pr",
    subject_columns: "topic | subject | area | question | what | title | context | problem | issue | concern \
         | domain",
    replaces: "supersedes | replaces | obsoletes | superseding",
    relations: "amended | amends | extended | extends | clarified | clarifies | relates | related | see \
         | updated | updates | depends | last | date | by | linked | reviewed | follows \
         | supplemented | refines | refined",
    fillers: "this | the | a | an | decision | record | document | adr | rfc | pep | kep | proposal \
         | page | design | entry | status | is | was | has | been | now | currently | we | it \
         | fully | formally | officially | already | still | since | later | then | as | of \
         | mostly | unanimously | section | rule | policy | marked | considered | note | warning \
         | important | caution | attention | tip | and | so | only",
    follows: "by | in | on | since | as | because | with | per | for | until | after | before | at \
         | due | and | from | to | when | but | do | see | please | pending | this | january \
         | february | march | april | may | june | july | august | september | october | november \
         | december",
    not: "not",
    loud: "MUST | SHALL | NEVER | ALWAYS | REQUIRED | FORBIDDEN | PROHIBITED",
    imperatives: "never | always | do not | don't | avoid | no",
    duties: "must | must not | mustn't | may not | may only | never | shall | is forbidden \
         | are forbidden | is required | are required | is mandatory | are mandatory \
         | is prohibited | are prohibited | is not allowed | are not allowed | is not permitted \
         | are not permitted | we do not | we don't | we never | we always | we only \
         | is disallowed | are disallowed | are allowed only | is allowed only | cannot be merged \
         | has to | have to | needs a | needs an | need a | need an | needs two | needs three | needs four | needs five | need two | need three | need four \
         | needs at least | need at least | needs one \
         | requires | no other | nobody may | no one may | go through | goes through | only ever | under no circumstances",
    asides: "you must have | you must be | if you | must be able to | you may | must i | must we \
         | licens | you agree | you have to have | must have been | there must be \
         | you must install | you must first | should you | you'll have to | you will have to \
         | don't have to | do not have to | doesn't have to | does not have to | no need \
         | never mind | don't worry | do not worry | don't hesitate | don't panic \
         | do not hesitate | don't be afraid | we never got | never happened | we don't know \
         | we do not know | we don't have | we do not have | has never | have never | never been \
         | had to | you don't | always welcome | no longer | feel free | be kind | be nice \
         | be respectful | any questions | thank you | thanks",
    decided: "we decided | we have decided | we've decided | it was decided | we chose \
         | we have chosen | we've chosen | we agreed to | we agreed that | we settled on \
         | we will not | we won't | we standardise on | we standardize on | it was agreed \
         | the team decided | the team agreed | we have agreed | we opted for | we went with \
         | has been decided | have been decided | was agreed | we are going with | we picked \
         | we selected",
    choices: "we use | we will use | we'll use | we are using | we follow | we keep | we store \
         | we write | we prefer | we build | we deploy | we release",
    undone: "if we decided | before we decided | until we | whether we | when we decided \
         | might decide | decided nothing | not decided | once we | in this tutorial \
         | in this guide | in this chapter | this guide | this tutorial | for this example \
         | in this example | nothing was decided | had we decided | unless we",
    because: "because | since | so that | in order to | as it | due to | otherwise | the reason \
         | that way | this way | this avoids | this keeps | this prevents | hence | therefore",
    chosen: "chosen option | chosen option is | chosen | decision | selected option | selected \
         | we chose | we choose | outcome",
    past: "done | shipped | released | completed | past | history | changelog | delivered \
         | finished | archive | recently",
    dropped: "dropped | cancelled | canceled | abandoned | rejected | won't do | no longer planned \
         | discarded | parked | declined",
    plans: "now | next | later | planned | in progress | upcoming | milestone | soon | quarter \
         | goals | someday | backlog | todo | to do | roadmap | h1 | h2 | version | short term \
         | mid term | long term | this year | next year | future | ideas | under way | doing \
         | icebox | priorities | open | must have | should have | could have",
    logs: "decision | adr log | choices",
    roadmaps: "roadmap | backlog | milestones",
    guides: "contribut | convention | guideline | principle | architecture | style | invariant \
         | ground rules | standards | policy | policies | code review | coding | code-review \
         | releasing | release process | release-process | definition of done | branching \
         | working agreement | house rules | rules | constraints | security model \
         | hacking | testing strategy | test strategy | engineering handbook | review process | ways of working",
    lessons: "tutorial | getting started | getting-started | quickstart | quick start | quick-start \
         | install | setup | how to | how-to | howto | faq | walkthrough | user guide \
         | user-guide | manual | onboarding | cookbook | example | demo | troubleshooting \
         | runbook | upgrade guide | migration guide | your first | primer | operations \
         | cheat sheet | usage | postmortem | post-mortem | incident | blog | release notes \
         | whats new",
    references: "reference | http api | api reference | cli | configuration | schema | endpoint",
    meetings: "meeting | minutes | standup | weekly | sync notes | retro | guild | 1-1 | all-hands",
    silent: "glossary | code of conduct | release notes | changelog | risks and technical debt \
         | technical debt",
    templates: "template | example-adr | sample-adr | skeleton | boilerplate",
    holes: "tbd | todo | tba | tbc | to be defined | to be decided | to be determined \
         | to be written | to be done | n/a | none | fill me in | lorem ipsum | coming soon | wip \
         | nothing yet | write me | unknown | to be discussed",
    leftovers: "the change that we're proposing or have agreed to implement \
         | what is the change that we're proposing | what is the issue that we're seeing \
         | the issue motivating this decision | what becomes easier or more difficult \
         | describe the | one paragraph explanation | why are we doing this | explain the \
         | this section describes | this section should | this section contains our response \
         | in this section | {describe | {title | this is an optional element \
         | we will state the decision | state the decision | a short description of \
         | what was decided",
};
