/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues by key, for searches that leave outdated entries in them: a binary heap (J. W. J. Williams,
 * "Algorithm 232: Heapsort", CACM 7(6), 1964) and a ring of buckets (R. B. Dial, "Algorithm 360:
 * Shortest-path forest with topological ordering", CACM 12(11), 1969).
 */
#ifndef QUEUE_H
#define QUEUE_H

#include "grid.h"

#include <stdexcept>
#include <utility>
#include <vector>

struct Entry {
    Cost key;
    Cost cost;          /* from the start; of equal keys, the larger one goes first */
    Cell cell;

    bool operator<(const Entry& other) const
    {
        if (key != other.key)
            return key < other.key;
        if (cost != other.cost)
            return cost > other.cost;
        return cell < other.cell;
    }
};

template <class T>
class BinaryHeap {
public:
    bool empty() const { return items_.empty(); }
    std::size_t size() const { return items_.size(); }
    void clear() { items_.clear(); }
    const T& top() const { return items_.front(); }

    void push(const T& item)
    {
        std::size_t place = items_.size();

        items_.push_back(item);
        while (place > 0) {
            const std::size_t above = (place - 1) / 2;

            if (!(item < items_[above]))
                break;
            items_[place] = items_[above];
            place = above;
        }
        items_[place] = item;
    }

    T pop()
    {
        const T first = items_.front(), last = items_.back();

        items_.pop_back();
        if (!items_.empty())
            sift_down(last);
        return first;
    }

private:
    std::vector<T> items_;

    void sift_down(const T& item)
    {
        std::size_t place = 0;

        for (;;) {
            std::size_t below = 2 * place + 1;

            if (below >= items_.size())
                break;
            if (below + 1 < items_.size() && items_[below + 1] < items_[below])
                below++;
            if (!(items_[below] < item))
                break;
            items_[place] = items_[below];
            place = below;
        }
        items_[place] = item;
    }
};

using HeapQueue = BinaryHeap<Entry>;

/* Keys must not fall below the last one taken, nor be ahead of it by the ring's length: no step is so
   long, on the map and in the heuristic, that they would. Of equal keys the last to come goes first. */
class BucketQueue {
public:
    BucketQueue() : ring_(length) {}

    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }

    void clear()
    {
        if (count_ > 0)
            for (auto& bucket : ring_)
                bucket.clear();
        count_ = 0;
        started_ = false;
    }

    void push(const Entry& entry)
    {
        if (!started_)
            key_ = entry.key;
        started_ = true;
        if (entry.key < key_ || entry.key - key_ >= static_cast<Cost>(length))
            throw std::logic_error("a key does not fit into the ring of buckets");
        ring_[static_cast<std::size_t>(entry.key) % length].push_back(entry);
        count_++;
    }

    Entry pop()
    {
        while (ring_[static_cast<std::size_t>(key_) % length].empty())
            key_++;
        auto& bucket = ring_[static_cast<std::size_t>(key_) % length];
        const Entry entry = bucket.back();
        bucket.pop_back();
        count_--;
        return entry;
    }

private:
    static constexpr std::size_t length = 256;

    std::vector<std::vector<Entry>> ring_;
    Cost key_ = 0;              /* the first one after clear(), then the last one taken */
    std::size_t count_ = 0;
    bool started_ = false;
};

#endif
