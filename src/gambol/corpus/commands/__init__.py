"""The commands, one module a subject; importing them fills the table."""

from gambol.corpus.commands import (  # noqa: F401
    bodies,
    camera,
    clock,
    contact,
    figures,
    forces,
    gait,
    inert,
    joints,
    language,
    lights,
    lists,
    object_data,
    objects,
    programs,
    queries,
    render,
    shading,
    state,
)
