// library.h and what tests include besides.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <random>

#include "cmake/precompiled/library.h"
