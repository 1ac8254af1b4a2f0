"""The medical pack (seed 002 §3.1): what consultations and case meetings name, in Korean and English.

A text is read clause by clause (`clauses`). Each thing that it names (`concepts`, `figures`,
`demographics`) has a status, such as denied or stopped (`standing`, which reads English by the scopes of
ConText), the person of whom its clause tells (`persons`), and what is said of it beside (`details`).
`interactions` warns of medicines that do not go together. `pack` puts all of it behind the port; whoever
wants it imports that one.

The pack notes what was said. It is no medical advice.
"""
