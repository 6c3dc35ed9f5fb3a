"""Names and options of networks, optimisers and learning-rate schedules, without Keras.

`resnet:blocks=4,filters=64` follows the grammar of `dlgo.specs`, as games and engines do, and
has one canonical text, which a model's card stores. `HEADS` lists the answers of networks.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from dlgo.errors import SpecError
from dlgo.specs import Option, check_settings, format_spec, split_spec, suggest

_ACTIVATION_HELP = "activation of the hidden layers"
_ACTIVATION = Option("activation", "relu", _ACTIVATION_HELP, choices=("relu", "sigmoid"))
_DROPOUT_HELP = "share of the hidden values dropped in training"
_FILTERS_HELP = "number of filters per convolution"


def _dropout(default: float) -> Option:
    return Option("dropout", default, _DROPOUT_HELP, low=0, high=0.95)


def _hidden(default: int) -> Option:
    return Option("hidden", default, "width of the dense layer", low=1, high=65536)


_POOL = Option("pool", "none", "2x2 pooling after the convolutions",
               choices=("none", "max", "average"))
_SCALE = Option("scale", True, "on boards below 19x19, shrink the kernels in proportion")


class Entry(NamedTuple):
    """Something that can be named in a specification."""

    summary: str  # one line for listings, with the source
    options: tuple[Option, ...] = ()
    heads: tuple[str, ...] = ("policy",)  # the default heads of a network


class HeadKind(NamedTuple):
    """Something that a network can answer about a position."""

    # "actions", a number for each action of the game; "pairs", the same from one layer that is
    # shown each action with the position; "number"; "cells", a number for each cell of the board;
    # "total", a number that adds up over the board.
    form: str
    activation: str  # of its last layer
    meaning: str


# In the order in which a network is built. A network has any of them, in any combination.
HEADS: dict[str, HeadKind] = {
    "policy": HeadKind("actions", "linear", "logits; their softmax is the policy"),
    "value": HeadKind("number", "tanh", "expected result for the player to move, -1 to 1"),
    # For training (Wu, "Accelerating self-play learning in Go", 2019).
    "ownership": HeadKind("cells", "tanh", "owner of each cell at the end of the game: 1 the "
                          "player to move, -1 the opponent"),
    "score": HeadKind("total", "linear", "final margin for the player to move, in points, divided "
                      "by the cells of the board"),
    "q": HeadKind("actions", "tanh", "expected result of each action for the player to move, -1 "
                  "to 1"),
    # The network of chapter 11 has the action as a second input; here all of them side by side.
    "q_pair": HeadKind("pairs", "tanh", "the same, by a network with the action as a second input"),
}


NETWORKS: dict[str, Entry] = {
    "mlp": Entry(
        "dense layers on the flattened planes (chapter 6.3.4)",
        (Option("hidden", 1000, "width of the first layer; each later layer is half as wide",
                low=1, high=65536),
         Option("layers", 2, "number of hidden layers", low=1, high=20),
         Option("activation", "sigmoid", _ACTIVATION_HELP, choices=("sigmoid", "relu")),
         _dropout(0.0)),
    ),
    "wide": Entry(
        "one wide dense layer, and a narrow one below the value; fast with runtime=compiled "
        "(after Nasu 2018)",
        (Option("hidden", 512, "width of the dense layer", low=1, high=65536, always=True),
         Option("value_hidden", 32, "width of the layer below the value", low=1, high=4096)),
        heads=("policy", "value"),
    ),
    "cnn_plain": Entry(
        "two 3x3 convolutions and a dense layer, sigmoid (chapter 6.4.2)",
        (Option("filters", 48, _FILTERS_HELP, low=1, high=4096),
         Option("layers", 2, "number of convolutions", low=1, high=40), _hidden(512),
         Option("activation", "sigmoid", _ACTIVATION_HELP, choices=("sigmoid", "relu")),
         _POOL, _dropout(0.0)),
    ),
    "cnn": Entry(
        "two 3x3 convolutions and a dense layer, ReLU, max pooling, dropout (chapter 6.7)",
        (Option("filters", 48, _FILTERS_HELP, low=1, high=4096),
         Option("layers", 2, "number of convolutions", low=1, high=40), _hidden(512), _ACTIVATION,
         Option("pool", "max", _POOL.help, choices=_POOL.choices), _dropout(0.5)),
    ),
    "small": Entry(
        "4 convolutions, 7x7x48 and 5x5x32, and a dense layer (chapter 7.3)",
        (_hidden(512), _SCALE, _dropout(0.0)),
    ),
    "medium": Entry(
        "5 convolutions of 64 filters, 5x5 and 3x3, and a dense layer (chapter 7.3)",
        (_hidden(512), _SCALE, _dropout(0.0)),
    ),
    "large": Entry(
        "7 convolutions, 7x7x64 to 5x5x32, and a wide dense layer (chapter 7.3)",
        (_hidden(1024), _SCALE, _dropout(0.0)),
    ),
    "alphago": Entry(
        "a 5x5 convolution, then 3x3 convolutions (AlphaGo; chapter 13.1; Silver et al. 2016)",
        (Option("layers", 12, "number of convolutions", low=1, high=40),
         Option("filters", 192, _FILTERS_HELP, low=1, high=4096)),
    ),
    "resnet": Entry(
        "residual blocks with batch normalisation (chapter 14.5; Silver et al. 2017)",
        (Option("blocks", 4, "number of residual blocks", low=0, high=80, always=True),
         Option("filters", 64, _FILTERS_HELP, low=1, high=4096, always=True),
         Option("policy_filters", 2, "number of filters in the policy head", low=1, high=4096),
         Option("value_filters", 1, "number of filters in the value head", low=1, high=4096),
         Option("value_hidden", 64, "width of the dense layer in the value head", low=1, high=4096),
         Option("l2", 1e-4, "weight of the squared weights in the loss", low=0, high=1)),
        heads=("policy", "value"),
    ),
}


def _rate(default: float) -> Option:
    return Option("lr", default, "learning rate", low=1e-9, high=100)


# Rates are the papers' or Keras's defaults, but for SGD and Adadelta: the book's chapter 7
# asks for SGD with 0.1, and Adadelta as published has no rate at all, which is a rate of 1.
OPTIMIZERS: dict[str, Entry] = {
    "sgd": Entry("stochastic gradient descent (chapters 5 and 7.5)", (_rate(0.1),)),
    "momentum": Entry(
        "SGD with momentum (chapter 7.5.1)",
        (_rate(0.1), Option("momentum", 0.9, "fraction of the last step that is kept", low=0,
                            high=0.9999),
         Option("nesterov", False, "use Nesterov's momentum")),
    ),
    "adagrad": Entry("SGD with a separate rate for each weight (chapter 7.5.2)", (_rate(0.01),)),
    "adadelta": Entry(
        "Adagrad with a decaying average of gradients (chapter 7.5.3; Zeiler 2012)",
        (_rate(1.0), Option("rho", 0.95, "decay rate of that average", low=0, high=0.9999)),
    ),
    "adam": Entry("momentum with a separate rate for each weight (Kingma and Ba 2015)",
                  (_rate(0.001),)),
}

SCHEDULES: dict[str, Entry] = {
    "constant": Entry("the same rate throughout"),
    "decay": Entry(
        "rate / (1 + decay * steps): the book's decay (chapter 7.5.1)",
        (Option("decay", 0.01, "decay per step", low=0, high=10),),
    ),
    "steps": Entry(
        "the rate drops every few epochs (AlphaGo Zero)",
        (Option("every", 10, "epochs between drops", low=1, high=100_000),
         Option("factor", 0.1, "factor on the rate at each drop", low=0, high=1)),
    ),
    "cosine": Entry(
        "the rate falls along half a cosine until the last epoch (Loshchilov and Hutter 2017)",
        (Option("floor", 0.0, "share of the first rate at the end", low=0, high=1),),
    ),
}


def parse(kind: str, table: dict[str, Entry], text: str) -> tuple[str, dict[str, Any]]:
    """The name and all settings of a specification, defaults filled in. `kind` is for messages
    ("network"), the table one of those above."""
    name, settings = split_spec(text, kind)
    if name not in table:
        raise SpecError(
            f"unknown {kind} {name!r}{suggest(name, table)}; {kind}s are {', '.join(table)}"
        )
    return name, check_settings(f"{kind} {name}", table[name].options, settings)


def check_heads(names: Collection[str]) -> tuple[str, ...]:
    """The heads with these names, in the catalog's order. Raises SpecError for an unknown one."""
    for name in names:
        if name not in HEADS:
            raise SpecError(
                f"unknown head {name!r}{suggest(name, HEADS)}; heads are {', '.join(HEADS)}"
            )
    return tuple(name for name in HEADS if name in names)


def canonical(kind: str, table: dict[str, Entry], text: str) -> str:
    """The one text of a specification: equal texts mean equal things."""
    name, settings = parse(kind, table, text)
    return format_spec(name, table[name].options, settings)
